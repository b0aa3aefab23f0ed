package eval

import (
	"path/filepath"

	"warren/internal/visible"
)

// Network is a network to play with: a back end that evaluates with it, its hash
// and its origin.
type Network struct {
	Backend
	Hash   string // content hash of the weights
	Origin Origin
	// Reopen opens the same network on another device, named as in package internal/eval/device.
	// It is nil if there is no other.
	Reopen func(device string) (*Network, error)
	// Reproduce opens the same network where evaluations have the bits of the given
	// path (Attributes.Path). It fails if this machine cannot compute them, and is nil if
	// there is only this back end.
	Reproduce func(path string) (*Network, error)
}

// Origin says where a network comes from, as far as is known.
type Origin struct {
	Path       string  // its file; empty if it was never in a file
	Run        string  // the run that trained it; empty if unknown
	Generation int     // its generation in the run, from 0
	Stage      int     // stage of the run whose settings its games have, from 0
	Steps      int64   // minibatches that it was trained on
	Samples    int64   // positions in these minibatches
	Games      int     // games that its run had saved when the generation began to learn, or that it learned from without playing
	Seconds    float64 // time that the run had taken; 0 if unknown
}

// Untrained returns the network of generation 0, with which self-play begins.
func Untrained() *Network { return &Network{Backend: Uniform{}, Hash: "uniform"} }

// Label returns the network's name in reports: its run, if known, and its file. Control characters of
// its metadata are escaped.
func (n *Network) Label() string {
	label := filepath.Base(n.Origin.Path)
	if n.Origin.Run != "" {
		label = n.Origin.Run + "/" + label
	}
	return visible.Text(label)
}
