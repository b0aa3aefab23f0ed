package net

import (
	"fmt"
	"slices"
	"strings"
)

// Head is an output of the network: the layers that compute it from the
// trunk, and what it learns. The plan that plays, the graph that learns, the
// exported models, the card and the documentation are all made from this
// description.
type Head struct {
	// Name names the head's loss and output, and its parameters begin with it.
	Name string
	// Meaning says what the output is, as documents and exported models say it.
	Meaning string
	// Layers are in the order in which checkpoints keep their parameters. The
	// first reads the trunk.
	Layers []Layer
	// Outputs names the layers whose results, one after the other, are the
	// head's output. A layer of form Squares gives [channel][square].
	Outputs []string
	// Loss compares the output with the target.
	Loss Loss
	// Weight is the weight of the loss in the total if the settings name no other.
	Weight float64
	// Play says that a search uses the output. Other heads only shape what the
	// trunk learns, and cost nothing in play.
	Play bool
	// Auxiliary says that a network has the head only if its settings name it.
	Auxiliary bool
}

// Form says which numbers a layer reads.
type Form uint8

const (
	// Squares applies one matrix to the channels of every square: a 1x1
	// convolution. Its weight is [in][out].
	Squares Form = iota
	// Pooled reads the means and the maxima of the channels over the board. Its
	// weight is [2*in][out], means first.
	Pooled
	// Board reads all channels of all squares. Its weight is [64*in][out], the
	// channels of a square side by side.
	Board
	// Dense reads a result that has no squares. Its weight is [in][out].
	Dense
)

// Layer is one linear layer of a head, with a bias.
type Layer struct {
	Name    string // of the parameters Name.weight and Name.bias
	From    string // the layer that it reads; empty for the trunk
	Form    Form
	In, Out int  // channels, or numbers where there are no squares
	Relu    bool // whether a ReLU follows
	Last    bool // whether it starts at a tenth of its fan-in's scale, so that a new network's output is nearly even
}

// Inputs returns the number of rows of the layer's weight.
func (l Layer) Inputs() int {
	switch l.Form {
	case Pooled:
		return 2 * l.In
	case Board:
		return 64 * l.In
	}
	return l.In
}

// Layer returns the head's layer of that name. It panics if there is none.
func (h Head) Layer(name string) Layer {
	i := slices.IndexFunc(h.Layers, func(l Layer) bool { return l.Name == name })
	if i < 0 {
		panic(fmt.Sprintf("net: the head %s has no layer %q", h.Name, name))
	}
	return h.Layers[i]
}

// Size returns the number of values in the output.
func (h Head) Size() int {
	n := 0
	for _, name := range h.Outputs {
		l := h.Layer(name)
		if l.Form == Squares {
			n += 64 * l.Out
		} else {
			n += l.Out
		}
	}
	return n
}

// Heads returns the heads of this architecture: the policy, the value, and then
// the auxiliary heads that the setting heads names, in the order of the table.
func (c Config) Heads() []Head {
	wanted := strings.Fields(c.Auxiliary)
	var all []Head
	for _, make := range heads {
		if h := make(c); !h.Auxiliary || slices.Contains(wanted, h.Name) {
			all = append(all, h)
		}
	}
	return all
}

// Has reports whether this architecture has the head of that name.
func (c Config) Has(head string) bool {
	return slices.ContainsFunc(c.Heads(), func(h Head) bool { return h.Name == head })
}

// AuxiliaryHeads names the heads that the setting heads can name, in the order
// of the table.
func AuxiliaryHeads() []string {
	var names []string
	for _, make := range heads {
		if h := make(Config{}); h.Auxiliary {
			names = append(names, h.Name)
		}
	}
	return names
}

// checkHeads returns an error if a word of the setting does not name an
// auxiliary head, or if a head is named twice.
func (c Config) checkHeads() error {
	names := AuxiliaryHeads()
	seen := map[string]bool{}
	for _, word := range strings.Fields(c.Auxiliary) {
		if slices.Contains(removedHeads, word) {
			return fmt.Errorf("network: heads names %q, which was removed, and commit f288acf was the last to have it: begin a new run from the newest network of the old one, with --from", word)
		}
		if !slices.Contains(names, word) {
			return fmt.Errorf("network: heads names %q, which is not an auxiliary head; there are %s", word, strings.Join(names, ", "))
		}
		if seen[word] {
			return fmt.Errorf("network: heads names %q twice", word)
		}
		seen[word] = true
	}
	return nil
}
