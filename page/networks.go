package page

import (
	"slices"
	"sync"

	"warren/eval"
)

// networks are the networks that were used last, opened.
type networks struct {
	open func(path string) (*eval.Network, error)

	mu   sync.Mutex
	held []opened // the one used last at the end
}

type opened struct {
	path    string
	network *eval.Network
}

// maxNetworks bounds the networks held open.
const maxNetworks = 6

// get returns a network. Only one is opened at a time.
func (n *networks) get(path string) (*eval.Network, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if i := slices.IndexFunc(n.held, func(o opened) bool { return o.path == path }); i >= 0 {
		o := n.held[i]
		n.held = append(slices.Delete(n.held, i, i+1), o)
		return o.network, nil
	}
	network, err := n.open(path)
	if err != nil {
		return nil, err
	}
	n.held = append(n.held, opened{path, network})
	if len(n.held) > maxNetworks {
		n.held = slices.Delete(n.held, 0, 1)
	}
	return network, nil
}
