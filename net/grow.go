package net

import (
	"fmt"
	"reflect"
	"slices"
)

// Grow returns a network of the larger architecture c that computes the same outputs as n up to
// rounding. Nothing that n has learned is lost, and the added weights learn from the first minibatch
// on. The idea is that of "Net2Net" (Chen, Goodfellow, Shlens 2016, sec. 2), which copies units.
// Here the added units start at random, as in New, and the weights that read them start at zero. A
// head that n lacks starts as in New. Grow returns an error if anything in c is smaller than in n,
// or if c lacks a head of n.
func (n *Network) Grow(c Config, seed uint64) (*Network, error) {
	if err := n.Config.FitsInto(c); err != nil {
		return nil, err
	}
	grown, err := New(c, seed)
	if err != nil {
		return nil, err
	}
	kept := map[string]bool{} // layers that may start at random, because nothing reads them yet
	for _, r := range grown.Program.Rectified() {
		kept[r.Name] = true
	}
	for _, h := range n.Config.addedHeads(c) {
		for v := h.First; v < h.End; v++ {
			if o := grown.Program.Op(v); o.Layer >= 0 {
				kept[grown.Program.Layers[o.Layer].Name] = true
			}
		}
	}
	old := map[string]int{}
	for i, l := range n.Program.Layers {
		old[l.Name] = i
	}
	for i, l := range grown.Program.Layers {
		if k, ok := old[l.Name]; ok {
			embed(&grown.Params[2*i], &n.Params[2*k], l.In, n.Program.Layers[k].In)
			embed(&grown.Params[2*i+1], &n.Params[2*k+1], 1, 1)
		} else if !kept[l.Name] {
			clear(grown.Weight(i)) // an added block or pooling changes nothing yet
		}
	}
	return grown, nil
}

// FitsInto returns an error unless a network of the architecture c can grow into one of the architecture to. It
// names the first part of c that would be lost.
func (c Config) FitsInto(to Config) error {
	before, after := reflect.ValueOf(c), reflect.ValueOf(to)
	for i := range before.NumField() {
		name := before.Type().Field(i).Tag.Get("yaml")
		if before.Field(i).Kind() != reflect.Int || name == "pool_every" {
			continue // not a size
		}
		if was, is := before.Field(i).Int(), after.Field(i).Int(); is < was {
			return fmt.Errorf("a network with %s %d cannot become one with %d", name, was, is)
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
