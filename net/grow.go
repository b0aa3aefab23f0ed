package net

import (
	"fmt"
	"slices"
	"strings"
)

// Grow returns a network of the larger architecture c that computes the same outputs as n up to
// rounding. Nothing that n has learnt is lost, and the added weights learn from the first minibatch
// on. The idea is that of "Net2Net" (Chen, Goodfellow, Shlens 2016, sec. 2), which copies units.
// Here the added units start at random, as in New, and the weights that read them start at zero. A
// head that n lacks starts as in New. Grow returns an error if anything in c is smaller than in n,
// or if c lacks a head of n.
func (n *Network) Grow(c Config, seed uint64) (*Network, error) {
	if err := n.Config.fitsInto(c); err != nil {
		return nil, err
	}
	grown, err := New(c, seed)
	if err != nil {
		return nil, err
	}
	from, to := n.Config.inputs(), c.inputs()
	added := n.Config.addedHeads(c)
	for i := range grown.Params {
		p := &grown.Params[i]
		old := n.Param(p.Name)
		switch {
		case old != nil:
			embed(p, old, to[p.Name], from[p.Name])
		case slices.ContainsFunc(added, func(h Head) bool { return strings.HasPrefix(p.Name, h.Name+".") }):
			// its output affects no other head
		case !strings.HasSuffix(p.Name, ".conv1.weight"):
			clear(p.Data) // an added block or pooling changes nothing yet
		}
	}
	return grown, nil
}

// fitsInto reports the first part of c that a network of the architecture to cannot contain.
func (c Config) fitsInto(to Config) error {
	for _, part := range []struct {
		name     string
		from, to int
	}{
		{"blocks", c.Blocks, to.Blocks},
		{"channels", c.Channels, to.Channels},
		{"policy_channels", c.PolicyChannels, to.PolicyChannels},
		{"value_channels", c.ValueChannels, to.ValueChannels},
		{"value_hidden", c.ValueHidden, to.ValueHidden},
	} {
		if part.to < part.from {
			return fmt.Errorf("a network with %s %d cannot become one with %d", part.name, part.from, part.to)
		}
	}
	for i := range c.Blocks {
		if c.Pooled(i) && !to.Pooled(i) {
			return fmt.Errorf("with pool_every %d, block %d would lose the pooling that it has with %d", to.PoolEvery, i+1, c.PoolEvery)
		}
	}
	for _, h := range to.addedHeads(c) {
		return fmt.Errorf("a network with the head %s cannot become one without it, with heads %q", h.Name, to.Auxiliary)
	}
	return nil
}

// addedHeads returns the heads of the architecture to that c lacks.
func (c Config) addedHeads(to Config) []Head {
	heads := c.Heads()
	return slices.DeleteFunc(to.Heads(), func(h Head) bool {
		return slices.ContainsFunc(heads, func(own Head) bool { return own.Name == h.Name })
	})
}

// inputs returns, for every weight, the number of units that its rows read. Row r reads unit r
// modulo this number. Biases have a single row.
func (c Config) inputs() map[string]int {
	units := map[string]int{}
	for _, l := range c.layers() {
		switch {
		case l.name == "stem.weight":
			units[l.name] = NumPlanes
		case strings.HasSuffix(l.name, ".bias"):
			units[l.name] = 1
		default:
			units[l.name] = c.Channels
		}
	}
	for _, h := range c.Heads() {
		for _, l := range h.Layers {
			units[l.Name+".weight"] = l.In
		}
	}
	return units
}

// embed copies old into p. The units of old keep the weights by which they read each other, and
// read nothing from the added units.
func embed(p, old *Param, units, oldUnits int) {
	width, oldWidth := p.Shape[len(p.Shape)-1], old.Shape[len(old.Shape)-1]
	for r := range len(p.Data) / width {
		row := p.Data[r*width:][:oldWidth]
		if unit := r % units; unit < oldUnits {
			copy(row, old.Data[(r/units*oldUnits+unit)*oldWidth:])
		} else {
			clear(row)
		}
	}
}
