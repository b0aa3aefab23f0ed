package page

import (
	"slices"
	"sync"

	"warren/internal/eval"
)

// networks keeps the most recently used networks open.
type networks struct {
	mu   sync.Mutex
	held []opened // the most recently used last
}

type opened struct {
	path    string
	network *eval.Network
}

// maxNetworks limits the number of open networks.
const maxNetworks = 6

// get returns the network at path, opening it if needed. It opens only one at a
// time.
func (n *networks) get(path string) (*eval.Network, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if i := slices.IndexFunc(n.held, func(o opened) bool { return o.path == path }); i >= 0 {
		o := n.held[i]
		n.held = append(slices.Delete(n.held, i, i+1), o)
		return o.network, nil
	}
	network, err := load(path)
	if err != nil {
		return nil, err
	}
	n.held = append(n.held, opened{path, network})
	if len(n.held) > maxNetworks {
		n.held = slices.Delete(n.held, 0, 1)
	}
	return network, nil
}
