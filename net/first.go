package net

import "fmt"

// FirstLayers holds, side by side, the layers that read the trunk, for the heads that play needs. A
// back end computes all of them as one product.
type FirstLayers struct {
	Width   int
	Weight  []float32      // [Channels][Width]
	Bias    []float32      // [Width]
	Columns map[string]int // where the results of a layer begin, by the layer's name
}

// FirstLayers returns the network's first layers. It returns an error if one of them is not a 1x1
// convolution with a ReLU, because only these can be joined.
func (n *Network) FirstLayers() (*FirstLayers, error) {
	f := &FirstLayers{Columns: map[string]int{}}
	var layers []Layer
	for _, h := range n.Config.Heads() {
		for _, l := range h.Layers {
			if !h.Play || l.From != "" {
				continue
			}
			if l.Form != Squares || !l.Relu {
				return nil, fmt.Errorf("the head %s: layer %s reads the trunk but is not a 1x1 convolution with a ReLU", h.Name, l.Name)
			}
			f.Columns[l.Name] = f.Width
			f.Width += l.Out
			f.Bias = append(f.Bias, n.Param(l.Name+".bias").Data...)
			layers = append(layers, l)
		}
	}
	for i := range n.Config.Channels {
		for _, l := range layers {
			f.Weight = append(f.Weight, n.Param(l.Name + ".weight").Data[i*l.Out:][:l.Out]...)
		}
	}
	return f, nil
}
