package net

import (
	"fmt"
	"slices"
	"strings"
)

// Head is an output of the network and what it learns.
type Head struct {
	// Name names the head's loss and output, and its parameters begin with it.
	Name string
	// Meaning says what the output is, as documents and exported models say it.
	Meaning string
	// Activation turns the head's numbers into its output. It is Linear, Logistic or Softmax. The
	// target has the form of the output: chances after Logistic, otherwise a distribution.
	Activation Activation
	// Loss compares the numbers before the activation with the target.
	Loss Loss
	// Weight is the weight of the loss in the total if the settings name no other.
	Weight float64
	// Play says that a search uses the output. Other heads only shape what the
	// trunk learns, and cost nothing in play.
	Play bool
	// Auxiliary says that a network has the head only if its settings name it.
	Auxiliary bool

	// First and End delimit the operations of the head, First to End-1. They read the trunk and
	// each other.
	First, End Value
	// Outputs are the results that form the output, one after the other. A board counts as
	// [channel][square].
	Outputs []Value
	// Size is the number of values in the output.
	Size int
}

// Heads returns the heads of this architecture: the policy, the value, and then
// the auxiliary heads that the setting heads names, in the order of the table.
func (c Config) Heads() []Head { return c.Program().Heads }

// Has reports whether this architecture has the head of that name.
func (c Config) Has(head string) bool {
	return slices.ContainsFunc(heads, func(h headLayers) bool {
		return h.Name == head && (!h.Auxiliary || c.names(head))
	})
}

// names reports whether the settings name an auxiliary head.
func (c Config) names(head string) bool {
	return slices.Contains(strings.Fields(c.Auxiliary), head)
}

// AuxiliaryHeads names the heads that the setting heads can name, in the order
// of the table.
func AuxiliaryHeads() []string {
	var names []string
	for _, h := range heads {
		if h.Auxiliary {
			names = append(names, h.Name)
		}
	}
	return names
}

// WithoutRemoved returns the architecture without the auxiliary heads that only earlier versions had, and the names of
// those, separated by spaces.
func (c Config) WithoutRemoved() (without Config, heads string) {
	var kept, removed []string
	for _, head := range strings.Fields(c.Auxiliary) {
		if slices.Contains(removedHeads, head) {
			removed = append(removed, head)
		} else {
			kept = append(kept, head)
		}
	}
	if removed != nil {
		c.Auxiliary = strings.Join(kept, " ")
	}
	return c, strings.Join(removed, " ")
}

// checkHeads returns an error if a word of the setting does not name an
// auxiliary head, or if a head is named twice.
func (c Config) checkHeads() error {
	names := AuxiliaryHeads()
	seen := map[string]bool{}
	for _, word := range strings.Fields(c.Auxiliary) {
		if slices.Contains(removedHeads, word) {
			return fmt.Errorf("network: heads names %q, which was removed, and commit f288acf still had it: begin a new run from the newest network of the old one, with --from", word)
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
