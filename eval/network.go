package eval

import "path/filepath"

// Network is a network to play with: what evaluates its positions, what
// identifies it, and where it comes from.
type Network struct {
	Backend
	Hash   string // identifies the weights by their content
	Origin Origin
}

// Origin says where a network comes from, as far as that is known.
type Origin struct {
	Path       string  // of its file; empty for one that was never in a file
	Run        string  // that trained it; empty if unknown
	Generation int     // how often the run had trained and published a network
	Steps      int64   // minibatches that it was trained on
	Samples    int64   // positions in them
	Games      int     // that the run had played
	Seconds    float64 // that the run had taken; 0 if unknown
}

// Untrained returns the network of generation 0, which self-play begins with.
func Untrained() *Network { return &Network{Backend: Uniform{}, Hash: "uniform"} }

// Label is what the network is called in reports: its run, if that is known,
// and its file.
func (n *Network) Label() string {
	file := filepath.Base(n.Origin.Path)
	if n.Origin.Run == "" {
		return file
	}
	return n.Origin.Run + "/" + file
}
