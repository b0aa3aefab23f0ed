package gradient

import "warren/internal/kernel"

// squares is the number of squares of a board.
const squares = 64

// Space is scratch memory for operations that run one after another.
type Space struct {
	packed []float32   // packed weights
	parts  []float32   // gradients of parts of the batch with respect to the transformed weights
	bias   []float32   // [boards][channels]
	sums   []float32   // [boards][channels]
	g      []float32   // the gradient before the ReLU
	wide   []float32   // rows with padding
	rows   [][]float32 // one row of transformed weights, or of their gradient, per worker
	conv   []kernel.Scratch
}

func grow(s *[]float32, n int) []float32 {
	if cap(*s) < n {
		*s = make([]float32, n)
	}
	*s = (*s)[:n]
	return *s
}

// forWorkers makes room for the private memory of each worker.
func (s *Space) forWorkers(w *Workers, row int) {
	for len(s.conv) < w.Number() {
		s.conv = append(s.conv, kernel.Scratch{})
		s.rows = append(s.rows, nil)
	}
	for i := range s.rows {
		grow(&s.rows[i], row)
	}
}

// Conv is a fused 3x3 convolution over a batch of boards:
//
//	y = relu(conv(x, w) + bias + boardBias + residual)
//
// Squares off the board count as zero. x is [Boards*64][In], w [3][3][In][Out],
// bias [Out], boardBias [Boards][Out], and residual and y [Boards*64][Out].
// boardBias and residual may be nil.
//
// The method is Winograd's F(4x4, 3x3); see package kernel. The gradients are the
// exact adjoint of Forward. The rounding error is a few 1e-6 of the largest value.
type Conv struct {
	Boards, In, Out int
	Workers         *Workers
	Space           *Space
	path            *kernel.Path
	kernel          *kernel.Conv
}

// NewConv returns a convolution for the given number of boards. The numbers of
// channels, in and out, must be multiples of 8.
func NewConv(p *kernel.Path, boards, in, out int, workers *Workers, space *Space) *Conv {
	return &Conv{Boards: boards, In: in, Out: out, Workers: workers, Space: space, path: p, kernel: kernel.NewConv(p, in, out)}
}

// rowsPacked is the number of rows of the weights that one work item packs. Packed
// for Backward, they fill whole cache lines. With 8 rows two workers wrote to the
// same lines, and packing took nine times as long as with one.
const rowsPacked = 16

// pack transforms w for Forward or Backward.
func (c *Conv) pack(w []float32, pack func(packed, w []float32, lo, hi int, row []float32)) []float32 {
	s := c.Space
	packed := grow(&s.packed, c.kernel.PackedSize())
	s.forWorkers(c.Workers, c.kernel.PackedSize()/c.In)
	c.Workers.parts(c.In, rowsPacked, func(worker, lo, hi int) { pack(packed, w, lo, hi, s.rows[worker]) })
	return packed
}

// Forward computes y.
func (c *Conv) Forward(x, w, bias, boardBias, residual, y []float32) {
	s := c.Space
	packed := c.pack(w, c.kernel.Pack)
	if boardBias != nil {
		own := grow(&s.bias, c.Boards*c.Out)
		for b := range c.Boards {
			row := own[b*c.Out:][:c.Out]
			for j, v := range boardBias[b*c.Out:][:c.Out] {
				row[j] = v + bias[j]
			}
		}
		bias = own
	}
	c.Workers.parts(c.Boards, c.kernel.Group(), func(worker, lo, hi int) {
		bb, res := bias, residual
		if boardBias != nil {
			bb = bias[lo*c.Out : hi*c.Out]
		}
		if residual != nil {
			res = residual[lo*squares*c.Out:]
		}
		c.kernel.Forward(y[lo*squares*c.Out:], x[lo*squares*c.In:], packed, bb, res, hi-lo, &s.conv[worker])
	})
}

// gradientParts returns the number of partial sums of the weights' gradient. They
// are computed in parallel and then added. The number depends only on the shape,
// so the number of workers does not change the result.
func (c *Conv) gradientParts() int {
	const most, memory = 8, 64 << 20 / 4
	return max(1, min(most, memory/c.kernel.PackedSize(), c.Boards/16))
}

// Backward sets the gradients with respect to the inputs of Forward, given dy, the
// gradient of the loss with respect to y. y is the result of Forward. dx,
// dBoardBias and dResidual may be nil if they are not needed. No output may
// overlap an input, except that dResidual may be dy.
func (c *Conv) Backward(x, w, y, dy, dx, dw, dBias, dBoardBias, dResidual []float32) {
	s := c.Space
	var packed []float32
	s.forWorkers(c.Workers, c.kernel.PackedSize()/c.In)
	if dx != nil {
		packed = c.pack(w, c.kernel.PackTransposed)
	}
	if dResidual == nil {
		dResidual = grow(&s.g, len(y))
	}
	if dBoardBias == nil {
		dBoardBias = grow(&s.sums, c.Boards*c.Out)
	}
	size, parts := c.kernel.PackedSize(), c.gradientParts()
	sums := grow(&s.parts, parts*size)
	boards := (c.Boards + parts - 1) / parts
	parts = (c.Boards + boards - 1) / boards
	c.Workers.parts(c.Boards, boards, func(worker, lo, hi int) {
		from, to := lo*squares*c.In, lo*squares*c.Out
		part := sums[lo/boards*size:][:size]
		clear(part)
		d := kernel.Gradients{Before: dResidual[to:], Sums: dBoardBias[lo*c.Out:], Weights: part}
		if dx != nil {
			d.X = dx[from:]
		}
		c.kernel.Backward(d, x[from:], y[to:], dy[to:], packed, hi-lo, &s.conv[worker])
	})
	sumRows(dBoardBias, c.Out, dBias)
	c.Workers.Each(c.In, func(worker, i int) {
		row := s.rows[worker] // apart, because the points of sums fall into one set of the cache
		for p := range size / (c.In * c.Out) {
			at, sum := (p*c.In+i)*c.Out, row[p*c.Out:][:c.Out]
			copy(sum, sums[at:])
			for k := 1; k < parts; k++ {
				c.path.Add(sum, sums[k*size+at:])
			}
		}
		kernel.FilterAdjoint(dw, row, i, c.In, c.Out)
	})
}

// sumRows sets sum to the sum of the rows of a, which have n numbers each.
func sumRows(a []float32, n int, sum []float32) {
	sum = sum[:n]
	clear(sum)
	for ; len(a) >= n; a = a[n:] {
		row := a[:len(sum)]
		for j, v := range row {
			sum[j] += v
		}
	}
}
