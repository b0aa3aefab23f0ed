package net

import "fmt"

// FirstLayers holds, side by side, the layers that read the trunk, for the heads that play needs. A
// back end computes all of them as one product.
type FirstLayers struct {
	Channels int // of the trunk
	Width    int
	Weight   []float32     // [Channels][Width]
	Bias     []float32     // [Width]
	Columns  map[Value]int // where the results of an operation begin
}

// FirstLayers returns the network's first layers. It returns an error if one of them is not a 1x1
// convolution with a ReLU and nothing else, because only these can be joined.
func (n *Network) FirstLayers() (*FirstLayers, error) {
	p := n.Program
	f := &FirstLayers{Channels: p.Op(p.Trunk).Channels, Columns: map[Value]int{}}
	var first []Value
	for _, h := range p.Heads {
		for v := h.First; v < h.End; v++ {
			o := p.Op(v)
			if !h.Play || o.X != p.Trunk {
				continue
			}
			if o.Kind != Conv1x1 || o.Activation != ReLU || len(o.Operands()) > 1 {
				return nil, fmt.Errorf("the head %s: operation %d reads the trunk but is not a 1x1 convolution with a ReLU", h.Name, v)
			}
			f.Columns[v] = f.Width
			f.Width += o.Channels
			f.Bias = append(f.Bias, n.Bias(o.Layer)...)
			first = append(first, v)
		}
	}
	for i := range f.Channels {
		for _, v := range first {
			o := p.Op(v)
			f.Weight = append(f.Weight, n.Weight(o.Layer)[i*o.Channels:][:o.Channels]...)
		}
	}
	return f, nil
}
