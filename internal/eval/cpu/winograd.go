package cpu

import (
	"slices"

	"warren/internal/kernel"
	"warren/net"
)

// winograd computes in fp32, over the kernels of a path.
type winograd struct {
	rowLayers
	stem  *kernel.Planes // the convolution of the input
	convs []packedConv
	first *kernel.Dense // the layers of the heads that read the trunk
}

// packedConv is a convolution with its weights packed.
type packedConv struct {
	*kernel.Conv
	weight, bias []float32
}

func newWinograd(path *kernel.Path, first *net.FirstLayers) *winograd {
	return &winograd{rowLayers: rowLayers{path: path}, first: kernel.NewDense(path, first.Weight, first.Channels, first.Width)}
}

func (w *winograd) conv(n *net.Network, v net.Value) int {
	o := n.Program.Op(v)
	in, weight, bias := n.Program.Op(o.X).Channels, n.Weight(o.Layer), n.Bias(o.Layer)
	c := packedConv{bias: slices.Clone(bias)}
	if o.X == net.Input {
		w.stem = kernel.NewPlanes(w.path, weight, bias, in, o.Channels)
	} else {
		c.Conv = kernel.NewConv(w.path, in, o.Channels)
		c.weight = make([]float32, c.PackedSize())
		c.Pack(c.weight, weight, 0, in, make([]float32, len(c.weight)/in))
	}
	w.convs = append(w.convs, c)
	return len(w.convs) - 1
}

func (w *winograd) group() int  { return w.convs[len(w.convs)-1].Group() }
func (w *winograd) stride() int { return w.first.Stride() }

func (w *winograd) precision() (path, numbers string) { return w.path.Name, "fp32" }

func (w *winograd) boards(slots []net.Slot, group int) boards {
	b := &floatBoards{winograd: w, rows: w.rows(slots, group)}
	for _, s := range slots {
		var data []float32 // nil for a slot of rows
		if s.Board {
			data = make([]float32, group*64*s.Channels)
		}
		b.data = append(b.data, data)
	}
	return b
}

// floatBoards are boards in fp32.
type floatBoards struct {
	*winograd
	rows
	data        [][]float32 // by slot: [group][64][channels]
	planes      []net.Bits  // of the batch
	scratch     kernel.Scratch
	stemScratch kernel.PlanesScratch
}

func (b *floatBoards) input(x []net.Bits, _ int) { b.planes = x }

func (b *floatBoards) conv(number, y, x, rowBias, residual, batch int) {
	c := &b.convs[number]
	if c.Conv == nil {
		for i := range batch {
			b.stem.Forward(b.data[y][i*64*b.slots[y].Channels:], b.planes[i].Squares[:], b.planes[i].Values[:], &b.stemScratch)
		}
		return
	}
	bias := b.rows.of(rowBias, batch)
	if bias == nil {
		bias = c.bias
	}
	var add []float32
	if residual >= 0 {
		add = b.data[residual]
	}
	c.Forward(b.data[y], b.data[x], c.weight, bias, add, batch, &b.scratch)
}

func (b *floatBoards) pool(y, x, batch int) {
	ch := b.slots[x].Channels
	for i := range batch {
		row := b.rows.data[y][i*2*ch:][:2*ch]
		b.winograd.path.Pool(row[:ch], row[ch:], b.data[x][i*64*ch:])
	}
}

func (b *floatBoards) features(f []float32, x, i, _ int) (boards int) {
	b.first.Multiply(f, b.data[x][i*64*b.slots[x].Channels:], 64)
	return 1
}
