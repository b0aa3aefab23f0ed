package cpu

import (
	"warren/internal/kernel"
	"warren/internal/kernel/bf16"
	"warren/net"
)

// tiles computes in bf16, on the processor's tile unit. Biases, sums, the biases from
// pooling and the heads after their first layers are in fp32.
type tiles struct {
	rowLayers
	unit  *bf16.Unit
	convs []*bf16.Conv
	first *bf16.Squares // the layers of the heads that read the trunk
}

func newTiles(unit *bf16.Unit, path *kernel.Path, first *net.FirstLayers) *tiles {
	return &tiles{rowLayers: rowLayers{path: path}, unit: unit, first: bf16.NewSquares(unit, first.Weight, first.Channels, first.Width)}
}

func (t *tiles) conv(n *net.Network, v net.Value) int {
	o := n.Program.Op(v)
	c := bf16.NewConv(t.unit, n.Weight(o.Layer), n.Bias(o.Layer), n.Program.Op(o.X).Channels, o.Channels)
	t.convs = append(t.convs, c)
	return len(t.convs) - 1
}

// group keeps the activations of a group in the second-level cache.
func (t *tiles) group() int  { return 16 }
func (t *tiles) stride() int { return t.first.Stride() }

func (t *tiles) precision() (path, numbers string) { return t.unit.Name(), "bf16" }

func (t *tiles) boards(slots []net.Slot, group int) boards {
	b := &tileBoards{tiles: t, rows: t.rows(slots, group), planes: bf16.NewBoards(group, net.NumPlanes), expanded: make([]float32, net.InputSize)}
	widest := 0
	for _, s := range slots {
		var data *bf16.Boards // nil for a slot of rows
		if s.Board {
			data = bf16.NewBoards(group, s.Channels)
			widest = max(widest, s.Channels)
		}
		b.data = append(b.data, data)
	}
	b.mean, b.most = make([]float32, widest+31), make([]float32, widest+31)
	return b
}

// tileBoards are boards in bf16.
type tileBoards struct {
	*tiles
	rows
	planes     *bf16.Boards // of the batch
	expanded   []float32    // a position
	data       []*bf16.Boards
	scratch    bf16.Scratch
	mean, most []float32 // of a board, with padding
}

func (b *tileBoards) input(x []net.Bits, batch int) {
	for i := range batch {
		x[i].Expand(b.expanded)
		b.unit.Set(b.planes, i, batch, b.expanded, net.NumPlanes)
	}
}

func (b *tileBoards) conv(number, y, x, rowBias, residual, batch int) {
	from := b.planes
	if x >= 0 {
		from = b.data[x]
	}
	var add *bf16.Boards
	if residual >= 0 {
		add = b.data[residual]
	}
	b.convs[number].Forward(b.data[y], from, b.rows.of(rowBias, batch), add, batch, &b.scratch)
}

func (b *tileBoards) pool(y, x, batch int) {
	ch := b.slots[x].Channels
	for i := range batch {
		b.unit.Pool(b.mean, b.most, b.data[x], i, batch)
		row := b.rows.data[y][i*2*ch:][:2*ch]
		copy(row[copy(row, b.mean[:ch]):], b.most)
	}
}

func (b *tileBoards) features(f []float32, x, i, batch int) (boards int) {
	return b.first.Multiply(f, b.data[x], i, batch, &b.scratch)
}
