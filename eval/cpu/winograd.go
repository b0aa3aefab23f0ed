package cpu

import (
	"fmt"
	"slices"

	"warren/internal/kernel"
	"warren/net"
)

// winograd is the trunk in fp32, over the kernels of a path.
type winograd struct {
	config net.Config
	path   *kernel.Path
	stem   *kernel.Planes
	conv   *kernel.Conv
	blocks []block
	first  *kernel.Dense // the layers of the heads that read the trunk
}

// block is a residual block.
type block struct {
	conv1, conv2 []float32
	bias1, bias2 []float32     // bias2 includes the pooling bias's own
	pool         *kernel.Dense // [2*Channels][Channels], nil without pooling
}

func newWinograd(n *net.Network, path *kernel.Path, first *net.FirstLayers) *winograd {
	c := n.Config
	data := func(name string) []float32 { return n.Param(name).Data }
	t := &winograd{
		config: c, path: path,
		stem:  kernel.NewPlanes(path, data("stem.weight"), data("stem.bias"), net.NumPlanes, c.Channels),
		conv:  kernel.NewConv(path, c.Channels, c.Channels),
		first: kernel.NewDense(path, first.Weight, c.Channels, first.Width),
	}
	row := make([]float32, t.conv.PackedSize()/c.Channels)
	conv := func(name string) []float32 {
		packed := make([]float32, t.conv.PackedSize())
		t.conv.Pack(packed, data(name), 0, c.Channels, row)
		return packed
	}
	for i := range c.Blocks {
		at := fmt.Sprintf("blocks.%d.", i)
		b := block{
			conv1: conv(at + "conv1.weight"), conv2: conv(at + "conv2.weight"),
			bias1: slices.Clone(data(at + "conv1.bias")),
		}
		b.bias2, b.pool = secondBias(n, i, path)
		t.blocks = append(t.blocks, b)
	}
	return t
}

// secondBias returns the bias of the second convolution of block i, and the matrix of its
// pooling bias, nil without pooling. The bias includes the pooling bias's own.
func secondBias(n *net.Network, i int, path *kernel.Path) ([]float32, *kernel.Dense) {
	at, ch := fmt.Sprintf("blocks.%d.", i), n.Config.Channels
	bias := slices.Clone(n.Param(at + "conv2.bias").Data)
	if !n.Config.Pooled(i) {
		return bias, nil
	}
	for j, v := range n.Param(at + "pool.bias").Data {
		bias[j] += v
	}
	return bias, kernel.NewDense(path, n.Param(at+"pool.weight").Data, 2*ch, ch)
}

func (t *winograd) group() int  { return t.conv.Group() }
func (t *winograd) stride() int { return t.first.Stride() }

func (t *winograd) precision() (path, numbers string) { return t.path.Name, "fp32" }

func (t *winograd) room(group int) run {
	ch := t.config.Channels
	board := group * 64 * ch
	return &winogradRun{
		winograd: t,
		x:        make([]float32, board), h: make([]float32, board), y: make([]float32, board),
		bias: newPoolBias(group, ch),
	}
}

// winogradRun is a plan's memory for the trunk.
type winogradRun struct {
	*winograd
	x, h, y []float32 // activations, [group][64][Channels]
	conv    kernel.Scratch
	stem    kernel.PlanesScratch
	bias    poolBias
}

func (r *winogradRun) tower(x []float32, batch int) {
	t, ch := r.winograd, r.config.Channels
	t.stem.Forward(r.x, x, batch, &r.stem)
	for i := range t.blocks {
		b := &t.blocks[i]
		t.conv.Forward(r.h, r.x, b.conv1, b.bias1, nil, batch, &r.conv)
		bias := b.bias2
		if b.pool != nil {
			for i := range batch {
				mean, most := r.bias.board(i)
				t.path.Pool(mean, most, r.h[i*64*ch:])
			}
			bias = r.bias.of(b.pool, b.bias2, batch)
		}
		t.conv.Forward(r.y, r.h, b.conv2, bias, r.x, batch, &r.conv)
		r.x, r.y = r.y, r.x
	}
}

func (r *winogradRun) features(f []float32, i, _ int) (boards int) {
	r.first.Multiply(f, r.x[i*64*r.config.Channels:], 64)
	return 1
}
