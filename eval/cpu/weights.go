package cpu

import (
	"fmt"
	"slices"

	"warren/internal/kernel"
	"warren/net"
)

// weights are a network's parameters as inference wants them. All plans of a
// back end share them.
type weights struct {
	config net.Config
	path   *kernel.Path
	stem   *kernel.Planes
	conv   *kernel.Conv
	blocks []block
	heads  headWeights
}

// block is a residual block.
type block struct {
	conv1, conv2 []float32
	bias1, bias2 []float32     // bias2 includes the pooling bias's own
	pool         *kernel.Dense // [2*Channels][Channels], nil without pooling
}

func newWeights(n *net.Network, path *kernel.Path) (*weights, error) {
	c := n.Config
	data := func(name string) []float32 { return n.Param(name).Data }
	w := &weights{
		config: c, path: path,
		stem: kernel.NewPlanes(path, data("stem.weight"), data("stem.bias"), net.NumPlanes, c.Channels),
		conv: kernel.NewConv(path, c.Channels, c.Channels),
	}
	row := make([]float32, w.conv.PackedSize()/c.Channels)
	conv := func(name string) []float32 {
		packed := make([]float32, w.conv.PackedSize())
		w.conv.Pack(packed, data(name), 0, c.Channels, row)
		return packed
	}
	for i := range c.Blocks {
		at := fmt.Sprintf("blocks.%d.", i)
		b := block{
			conv1: conv(at + "conv1.weight"), conv2: conv(at + "conv2.weight"),
			bias1: slices.Clone(data(at + "conv1.bias")),
			bias2: slices.Clone(data(at + "conv2.bias")),
		}
		if c.Pooled(i) {
			b.pool = kernel.NewDense(path, data(at+"pool.weight"), 2*c.Channels, c.Channels)
			for j, v := range data(at + "pool.bias") {
				b.bias2[j] += v
			}
		}
		w.blocks = append(w.blocks, b)
	}
	var err error
	w.heads, err = newHeadWeights(n, path)
	return w, err
}
