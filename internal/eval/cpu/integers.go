package cpu

import (
	"fmt"
	"slices"

	"warren/internal/eval"
	"warren/internal/kernel"
	"warren/internal/kernel/quant"
	"warren/net"
)

// integers computes in whole numbers of 16 bits. The convolution of the input is in fp32, as are the
// heads after their first layers, on a path that gives the same bits on every processor.
type integers struct {
	rowLayers // other products with rows
	unit      *quant.Unit
	stem      intStem
	convs     []*quant.Conv
	pools     []intRow
	heads     *net.FirstLayers
	first     *quant.Dense // the layers of the heads that read the trunk

	formats []quant.Format // of the results so far, by value
	sample  *sample        // until the last operation is packed
	err     error          // the first of packing

	saturation eval.Saturation
}

// intStem is the convolution of the input. The bias is added and the results are rounded in one go.
type intStem struct {
	*kernel.Planes
	bias, scale []float32 // the scale is steps per 1
}

// intRow is a product with pooled channels. For other products it has the number among those in fp32.
type intRow struct {
	*quant.Dense
	bias  []float32
	relu  bool
	other int
}

func newIntegers(unit *quant.Unit, path *kernel.Path, n *net.Network, first *net.FirstLayers) *integers {
	a := &integers{rowLayers: rowLayers{path: path}, unit: unit, heads: first, formats: make([]quant.Format, len(n.Program.Ops))}
	a.saturation.Format, a.saturation.Remedy = kernel.Int16, "device=cpu"
	a.sample = newSample(a, n.Program)
	return a
}

func (a *integers) conv(n *net.Network, v net.Value) (number int) {
	o := n.Program.Op(v)
	if o.X == net.Input {
		a.packStem(n, v)
	} else {
		number = a.packConv(n, v)
	}
	a.check(n, v)
	if v == n.Program.Trunk {
		a.first = quant.NewDense(a.unit, a.heads.Weight, a.heads.Width, 1, a.formats[v])
		a.heads, a.sample = nil, nil
	}
	return number
}

// check finds numbers in the result v that fp32 can hardly express, or cannot.
func (a *integers) check(n *net.Network, v net.Value) {
	const most = 1e15
	for _, step := range a.formats[v].Step {
		if peak := float64(step) * quant.Top; a.err == nil && !(peak < most) {
			a.err = fmt.Errorf("layer %s gives numbers of up to %g; the network's weights are damaged or its training diverged", n.Program.Layer(v).Name, peak)
		}
	}
}

func (a *integers) packStem(n *net.Network, v net.Value) {
	o := n.Program.Op(v)
	out := quant.Rounded(o.Channels)
	weight := spread(n.Weight(o.Layer), o.Channels, out)
	a.stem.Planes = kernel.NewPlanes(a.path, weight, nil, net.NumPlanes, out)
	a.stem.bias = padded(slices.Clone(n.Bias(o.Layer)), out)
	s := a.sample
	y := make([]float32, len(s.x)*64*out)
	var scratch kernel.PlanesScratch
	for i, x := range s.x {
		a.stem.Forward(y[i*64*out:], x.Squares[:], x.Values[:], &scratch)
	}
	a.path.Rectify(y, a.stem.bias, len(s.x)*64)
	f := quant.Fitted(largest(y, out, o.Channels), room)
	a.stem.scale = make([]float32, out)
	for i, step := range f.Step {
		a.stem.scale[i] = 1 / step
	}
	a.formats[v] = f
	s.conv(0, o, v)
}

// spread copies the rows of w, of from numbers, to rows of to numbers.
func spread(w []float32, from, to int) []float32 {
	wide := make([]float32, len(w)/from*to)
	for i := range len(w) / from {
		copy(wide[i*to:], w[i*from:][:from])
	}
	return wide
}

func (a *integers) packConv(n *net.Network, v net.Value) int {
	o, s := n.Program.Op(v), a.sample
	var residual quant.Format
	if o.Residual != net.None {
		residual = a.formats[o.Residual]
	}
	bias := n.Bias(o.Layer)
	if o.RowBias != net.None {
		bias = largest(s.boards.rows.of(s.of[o.RowBias], len(s.x)), o.Channels, o.Channels)
	}
	c := quant.NewConv(a.unit, n.Weight(o.Layer), n.Bias(o.Layer), n.Program.Op(o.X).Channels, o.Channels, a.formats[o.X])
	a.convs = append(a.convs, c)
	number := len(a.convs) - 1
	// The first steps are so large that nothing is limited.
	c.Fit(quant.Fitted(c.Largest(bias, residual), 1), residual)
	s.conv(number, o, v)
	c.Fit(quant.Fitted(s.largest(v, c.Format()), room), residual)
	s.conv(number, o, v)
	a.formats[v] = c.Format()
	return number
}

func (a *integers) dense(n *net.Network, v net.Value) int {
	o, s := n.Program.Op(v), a.sample
	var r intRow
	if pool := n.Program.Op(o.X); pool.Kind == net.Pool {
		x := a.formats[pool.X].Pooled()
		r = intRow{Dense: quant.NewDense(a.unit, n.Weight(o.Layer), o.Channels, 2, x), bias: rowBias(n, v), relu: o.Activation == net.ReLU}
		s.boards.pool(s.of[o.X], s.of[pool.X], len(s.x))
	} else {
		r.other = a.rowLayers.dense(n, v)
	}
	a.pools = append(a.pools, r)
	s.boards.dense(len(a.pools)-1, s.of[v], s.of[o.X], len(s.x))
	return len(a.pools) - 1
}

func (a *integers) group() int {
	if len(a.convs) == 0 {
		return 8
	}
	return a.convs[len(a.convs)-1].Group()
}

func (a *integers) stride() int { return a.first.Stride() }

func (a *integers) precision() (path, numbers string) { return kernel.Int16, "int16" }

func (a *integers) boards(slots []net.Slot, group int) boards { return a.plan(slots, group) }

func (a *integers) plan(slots []net.Slot, group int) *intBoards {
	b := &intBoards{integers: a, rows: a.rows(slots, group)}
	b.limited = make([]bool, group)
	widest := 0
	for _, s := range slots {
		size := group * 64 * quant.Rounded(s.Channels)
		if !s.Board {
			size = quant.Rows(group) * 2 * quant.Rounded(s.Channels/2)
		}
		b.data = append(b.data, make([]int16, size))
		widest = max(widest, quant.Rounded(s.Channels))
	}
	b.summary = make([]int16, 2*widest)
	return b
}

// intBoards are boards of whole numbers.
type intBoards struct {
	*integers
	rows
	data    [][]int16  // by slot: [group][64][channels], or of pooled channels [group][2][channels/2]
	sums    []float32  // of a product with pooled channels
	planes  []net.Bits // of the batch
	scratch quant.Scratch
	first   kernel.PlanesScratch

	groups  int     // so far
	limited []bool  // whether an activation of a board was limited, in a group that is looked at
	summary []int16 // means and maxima of the channels of a board
}

// lookedAt is the number of groups of which one is looked at for limited activations.
const lookedAt = 64

func (b *intBoards) looks() bool { return b.groups%lookedAt == 0 }

func (b *intBoards) input(x []net.Bits, _ int) {
	b.planes = x
	b.groups++
	clear(b.limited)
}

func (b *intBoards) conv(number, y, x, rowBias, residual, batch int) {
	if x < 0 {
		b.stemConv(b.data[y], batch)
	} else {
		var add []int16
		if residual >= 0 {
			add = b.data[residual]
		}
		b.convs[number].Forward(b.data[y], b.data[x], b.rows.of(rowBias, batch), add, batch, &b.scratch)
	}
	if b.looks() {
		ch := quant.Rounded(b.slots[y].Channels)
		for i := range batch {
			b.unit.Pool(b.summary[:ch], b.summary[ch:], b.data[y][i*64*ch:])
			b.limited[i] = b.limited[i] || slices.Contains(b.summary[ch:][:ch], quant.Top)
		}
	}
}

func (b *intBoards) stemConv(y []int16, batch int) {
	out := len(b.stem.scale)
	for i := range batch {
		b.stem.Board(b.planes[i].Squares[:], b.planes[i].Values[:], &b.first)
		for r := range 8 {
			b.unit.Narrow(y[(8*i+r)*8*out:][:8*out], b.first.Rank(r, out), b.stem.bias, b.stem.scale)
		}
	}
}

func (b *intBoards) pool(y, x, batch int) {
	ch := quant.Rounded(b.slots[x].Channels)
	for i := range batch {
		row := b.data[y][i*2*ch:][:2*ch]
		b.unit.Pool(row[:ch], row[ch:], b.data[x][i*64*ch:])
	}
}

func (b *intBoards) dense(number, y, x, batch int) {
	r := &b.pools[number]
	if r.Dense == nil {
		b.rows.dense(r.other, y, x, batch)
		return
	}
	if n := quant.Rows(batch) * r.Stride(); len(b.sums) < n {
		b.sums = make([]float32, n)
	}
	r.Multiply(b.sums, b.data[x], batch)
	for i := range batch {
		copy(b.rows.data[y][i*len(r.bias):][:len(r.bias)], b.sums[i*r.Stride():])
	}
	b.finish(y, r.bias, r.relu, batch)
}

func (b *intBoards) features(f []float32, x, i, _ int) (boards int) {
	if b.looks() {
		b.saturation.Count(b.limited[i])
	}
	b.integers.first.Multiply(f, b.data[x][i*64*quant.Rounded(b.slots[x].Channels):], 64)
	return 1
}
