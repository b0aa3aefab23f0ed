package cpu

import (
	"fmt"

	"warren/internal/kernel"
	"warren/internal/kernel/bf16"
	"warren/net"
)

// tiles is the trunk in bf16, on the processor's tile unit. Biases, sums, the biases from
// pooling and the heads after their first layers are in fp32.
type tiles struct {
	config net.Config
	unit   *bf16.Unit
	stem   *bf16.Conv
	blocks []tileBlock
	first  *bf16.Squares // the layers of the heads that read the trunk
}

// tileBlock is a residual block.
type tileBlock struct {
	conv1, conv2 *bf16.Conv
	bias2        []float32     // of a pooled block, with the pooling bias's own
	pool         *kernel.Dense // [2*Channels][Channels], nil without pooling
}

func newTiles(n *net.Network, unit *bf16.Unit, path *kernel.Path, first *net.FirstLayers) *tiles {
	c := n.Config
	conv := func(name string, bias []float32, in int) *bf16.Conv {
		return bf16.NewConv(unit, n.Param(name+".weight").Data, bias, in, c.Channels)
	}
	t := &tiles{
		config: c, unit: unit,
		stem:  conv("stem", n.Param("stem.bias").Data, net.NumPlanes),
		first: bf16.NewSquares(unit, first.Weight, c.Channels, first.Width),
	}
	for i := range c.Blocks {
		at := fmt.Sprintf("blocks.%d.", i)
		bias, pool := secondBias(n, i, path)
		t.blocks = append(t.blocks, tileBlock{
			conv1: conv(at+"conv1", n.Param(at+"conv1.bias").Data, c.Channels),
			conv2: conv(at+"conv2", bias, c.Channels),
			bias2: bias, pool: pool,
		})
	}
	return t
}

// group keeps the activations of a group in the second-level cache.
func (t *tiles) group() int  { return 16 }
func (t *tiles) stride() int { return t.first.Stride() }

func (t *tiles) precision() (path, numbers string) { return t.unit.Name(), "bf16" }

func (t *tiles) room(group int) run {
	ch := t.config.Channels
	return &tilesRun{
		tiles:  t,
		planes: bf16.NewBoards(group, net.NumPlanes),
		x:      bf16.NewBoards(group, ch), h: bf16.NewBoards(group, ch),
		bias: newPoolBias(group, ch),
		mean: make([]float32, ch+31), most: make([]float32, ch+31),
	}
}

// tilesRun is a plan's memory for the trunk.
type tilesRun struct {
	*tiles
	planes, x, h *bf16.Boards
	scratch      bf16.Scratch
	bias         poolBias
	mean, most   []float32 // of a board, with padding
}

func (r *tilesRun) tower(x []float32, batch int) {
	for i := range batch {
		r.unit.Set(r.planes, i, batch, x[i*net.InputSize:], net.NumPlanes)
	}
	r.stem.Forward(r.x, r.planes, nil, nil, batch, &r.scratch)
	for i := range r.blocks {
		b := &r.blocks[i]
		b.conv1.Forward(r.h, r.x, nil, nil, batch, &r.scratch)
		var bias []float32
		if b.pool != nil {
			for i := range batch {
				r.unit.Pool(r.mean, r.most, r.h, i, batch)
				mean, most := r.bias.board(i)
				copy(mean, r.mean)
				copy(most, r.most)
			}
			bias = r.bias.of(b.pool, b.bias2, batch)
		}
		b.conv2.Forward(r.x, r.h, bias, r.x, batch, &r.scratch)
	}
}

func (r *tilesRun) features(f []float32, i, batch int) (boards int) {
	return r.first.Multiply(f, r.x, i, batch, &r.scratch)
}
