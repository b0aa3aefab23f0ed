package net

import (
	"fmt"
	"slices"
)

// Rectified is a layer followed by a ReLU whose result is read only by other layers. A unit, one of
// its outputs, can therefore be replaced without changing anything but the weights that read it.
// The trunk is not such a layer: its channels are sums over all blocks.
type Rectified struct {
	Name    string   // of the parameters Name.weight and Name.bias
	Units   int      // outputs
	Std     float64  // deviation of the initial weights
	Readers []string // names of the weights that read the units; unit i is in every row r with r%Units = i
}

// Rectified returns the layers of this kind.
func (c Config) Rectified() []Rectified {
	var all []Rectified
	add := func(name string, units int, readers ...string) {
		i := slices.IndexFunc(c.layers(), func(l layer) bool { return l.name == name+".weight" })
		all = append(all, Rectified{name, units, c.layers()[i].std, readers})
	}
	for i := range c.Blocks {
		at := fmt.Sprintf("blocks.%d.", i)
		readers := []string{at + "conv2.weight"}
		if c.Pooled(i) {
			readers = append(readers, at+"pool.weight")
		}
		add(at+"conv1", c.Channels, readers...)
	}
	for _, h := range c.Heads() {
		for _, l := range h.Layers {
			if !l.Relu {
				continue
			}
			var readers []string
			for _, reader := range h.Layers {
				if reader.From == l.Name {
					readers = append(readers, reader.Name+".weight")
				}
			}
			add(l.Name, l.Out, readers...)
		}
	}
	return all
}
