package gpu

import (
	"math"
	"slices"

	"warren/internal/compute"
	"warren/internal/compute/kernels"
)

// tape is a forward pass and the backward pass that belongs to it, as lists of kernels to run.
// Each operation adds its kernels to the forward pass, and a function that will add those of
// its gradients. The functions are called in reverse order.
type tape struct {
	*memory
	boards            int
	weights           compute.Buffer   // all parameters, one after the other
	gradient          compute.Buffer   // by the parameters, likewise
	forward, backward []compute.Launch // the sequences that are being made
	before, after     stages           // of the forward and of the backward pass, as far as they are made
	gradients         []func()
	branches          branches
	parts             compute.Buffer           // of weights' gradients
	partSize          int                      // numbers in parts
	free              map[int][]compute.Buffer // memory of gradients that are no longer needed, by size
	mixed             *mixed                   // nil if everything is in fp32
}

func newTape(m *memory, boards, params int) *tape {
	return &tape{memory: m, boards: boards, weights: m.buffer(params), gradient: m.buffer(params), free: map[int][]compute.Buffer{}}
}

// value is a matrix that an operation computes.
type value struct {
	rows, columns int
	data          compute.Buffer
	slope         compute.Buffer // gradient of the loss by the value; nil until one is computed
	fixed         bool           // the value is an input of the network and has no gradient
	half          *halves        // nil if the value is in fp32
	branch        int            // whose operation computes it
	product       *pooledBias    // how a chain makes it, nil if none does
}

func (v *value) size() int { return v.rows * v.columns }

// result allocates a value.
func (t *tape) result(rows, columns int) *value {
	return &value{rows: rows, columns: columns, data: t.buffer(rows * columns), branch: t.branches.now}
}

// onForward adds a kernel to the forward pass.
func (t *tape) onForward(groups [2]int, call kernels.Call) {
	t.endChains()
	t.forward = append(t.forward, t.run(groups, call))
}

// onBackward adds a kernel to the backward pass.
func (t *tape) onBackward(groups [2]int, call kernels.Call) {
	t.endChains()
	t.backward = append(t.backward, t.run(groups, call))
}

// slope returns the memory for a gradient with respect to v, and the flag that makes a kernel add
// to a gradient already there.
func (t *tape) slope(v *value) (b compute.Buffer, flags int) {
	if v.slope != nil {
		return v.slope, kernels.Add
	}
	v.slope = t.take(v.size())
	return v.slope, 0
}

// take returns memory for n numbers of the backward pass until it is given back. In mixed precision few numbers are in
// fp32. Their memory is not used again, so that sequences can run side by side.
func (t *tape) take(n int) compute.Buffer {
	if free := t.free[n]; len(free) > 0 {
		t.free[n] = free[:len(free)-1]
		return free[len(free)-1]
	}
	return t.buffer(n)
}

func (t *tape) give(b compute.Buffer, n int) {
	if t.mixed == nil {
		t.free[n] = append(t.free[n], b)
	}
}

// finish makes the backward pass, which begins with the losses of the heads.
func (t *tape) finish(losses []compute.Launch) {
	if t.mixed != nil {
		t.finishMixed(losses)
		return
	}
	t.parts = t.buffer(t.partSize)
	t.backward = slices.Clone(losses)
	for _, add := range slices.Backward(t.gradients) {
		add()
	}
	t.after.stage(t.backward)
}

// manyGroups keep a large device busy: some 30 for each of its units.
const manyGroups = 4096

// groups is the number of groups of 64 items for n items.
func groups(n int) int { return (n + 63) / 64 }

// matrix is the place of a layer's weights among the parameters: [taps][in][out], and then the
// bias.
type matrix struct {
	at, in, out, taps int
}

func (m matrix) inputs() int { return m.taps * m.in }
func (m matrix) size() int   { return (m.inputs() + 1) * m.out }

// terms are what a layer adds besides its bias. Both may be nil.
type terms struct {
	boardBias, residual *value
}

// layer returns x w + bias, plus the terms, or its ReLU. The rows of x are read as rows of
// w.in numbers, so several rows of x can form one row of the layer. The residual must be
// the input of no later operation.
func (t *tape) layer(x *value, w matrix, add terms, relu bool) *value {
	y := t.result(x.size()/w.in, w.out)
	parts, _ := w.split(y.rows)
	t.partSize = max(t.partSize, parts*w.size())
	call := kernels.Layer{
		X: x.data, W: t.weights, At: w.at, Y: y.data, Rows: y.rows, In: w.in, Out: w.out, Taps: w.taps,
		BoardBias: y.data, Residual: y.data, // not read without their flags
	}
	if add.boardBias != nil {
		call.BoardBias = add.boardBias.data
		call.Flags |= kernels.LayerBoardBias
	}
	if add.residual != nil {
		call.Residual = add.residual.data
		call.Flags |= kernels.LayerResidual
	}
	if relu {
		call.Flags |= kernels.LayerReLU
	}
	if t.mixed != nil && y.rows == t.boards && add == (terms{}) {
		t.onForward([2]int{(y.rows + 3) / 4, (w.out + 15) / 16}, kernels.DenseRows{
			X: x.data, W: t.weights, At: w.at, Y: y.data, Rows: y.rows, In: w.in, Out: w.out, Flags: call.Flags,
		})
	} else {
		t.onForward(tiles(y.rows, w.out), call)
	}
	t.gradients = append(t.gradients, func() { t.layerGradients(x, y, w, add, relu) })
	return y
}

// tiles are the groups of a product.
func tiles(rows, columns int) [2]int {
	return [2]int{(rows + kernels.Tall - 1) / kernels.Tall, (columns + kernels.Wide - 1) / kernels.Wide}
}

func (t *tape) layerGradients(x, y *value, w matrix, add terms, relu bool) {
	g := y.slope
	if relu {
		t.onBackward([2]int{groups(y.size()), 1}, kernels.Passed{Y: y.data, G: g, N: y.size()})
	}
	t.weightGradient(x, g, w, y.rows, add.residual == nil)
	if add.boardBias != nil {
		d := t.take(add.boardBias.size())
		add.boardBias.slope = d
		t.onBackward([2]int{t.boards, groups(w.out)}, kernels.BoardSums{X: g, Y: d, Columns: w.out})
	}
	if !x.fixed {
		dx, flags := t.slope(x)
		t.gradientOf(x, func() {
			t.onBackward(tiles(y.rows, w.in), kernels.InputGradient{
				G: g, W: t.weights, At: w.at, Dx: dx, Rows: y.rows, In: w.in, Out: w.out, Taps: w.taps, Flags: flags,
			})
		})
	}
	if add.residual != nil {
		add.residual.slope = g // and its other gradients are added to it
		return
	}
	t.give(g, y.size())
}

// weightGradient adds the gradient by the weights of a layer to the backward pass, or to what can be computed at its
// end: nothing changes g meanwhile if it is kept.
func (t *tape) weightGradient(x *value, g compute.Buffer, w matrix, rows int, kept bool) {
	parts, size := w.split(rows)
	to, own := t.parts, t.mixed != nil
	if own {
		to = t.buffer(parts * w.size())
	}
	grid := tiles(w.inputs()+1, w.out)
	grid[1] *= parts
	sequence := []compute.Launch{
		t.run(grid, kernels.WeightGradient{X: x.data, G: g, Parts: to, Rows: rows, In: w.in, Out: w.out, Taps: w.taps, PartRows: size}),
		t.run([2]int{groups(w.size()), 1}, kernels.SumParts{X: to, Y: t.gradient, At: w.at, N: w.size(), Parts: parts}),
	}
	if own && kept {
		t.branches.later = append(t.branches.later, sequence)
	} else {
		t.endChains()
		t.backward = append(t.backward, sequence...)
	}
}

// split returns the parts of the rows whose sums form a gradient by the weights, and the rows
// of a part. It depends on the shape only, so the sums have the same order on every device.
func (w matrix) split(rows int) (parts, size int) {
	const least = 64 // rows of a part
	grid := tiles(w.inputs()+1, w.out)
	// To add a part takes about as long as a row of one.
	parts = max(1, min(manyGroups/(grid[0]*grid[1]), rows/least, int(math.Sqrt(float64(rows)))))
	size = (rows + parts - 1) / parts
	return (rows + size - 1) / size, size
}

// pool returns the means and the maxima of the columns over each board.
func (t *tape) pool(x *value) *value {
	if x.half != nil {
		return t.poolMixed(x)
	}
	y := t.result(t.boards, 2*x.columns)
	grid := [2]int{t.boards, groups(x.columns)}
	t.onForward(grid, kernels.PoolBoards{X: x.data, Y: y.data, Columns: x.columns})
	t.gradients = append(t.gradients, func() {
		dx, flags := t.slope(x)
		t.gradientOf(x, func() {
			t.onBackward(grid, kernels.PoolGradient{X: x.data, Y: y.data, G: y.slope, Dx: dx, Columns: x.columns, Flags: flags})
		})
		t.give(y.slope, y.size())
	})
	return y
}

// join returns values side by side, as the output of a head: one row for each board, in which
// a value's columns follow one another.
func (t *tape) join(values []*value) *value {
	size := 0
	for _, v := range values {
		size += v.size() / t.boards
	}
	y := t.result(t.boards, size)
	grids, places := make([][2]int, len(values)), make([]int, len(values))
	at := 0
	for i, v := range values {
		n := v.size() / t.boards
		grids[i], places[i] = [2]int{t.boards, groups(n)}, at
		t.onForward(grids[i], kernels.Join{X: v.data, Y: y.data, Squares: v.rows / t.boards, Columns: v.columns, Size: size, At: at})
		at += n
	}
	t.gradients = append(t.gradients, func() {
		for i, v := range values {
			v.slope = t.take(v.size()) // the output of a head has no gradient yet
			t.onBackward(grids[i], kernels.Split{
				G: y.slope, Dx: v.slope, Squares: v.rows / t.boards, Columns: v.columns, Size: size, At: places[i],
			})
		}
		t.give(y.slope, y.size())
	})
	return y
}
