package gradient

import "math"

// squares of a board.
const squares = 64

// Space is scratch memory that operations run one after the other can share.
type Space struct {
	v, m       []float32   // transformed input and products, [36][tile][channel]
	u, du      []float32   // transformed filters and their gradient
	line, sums []float32   // half-done filters; sums over boards
	g          []float32   // the gradient before the ReLU
	lines      [][]float32 // half-done boards, one for each worker
}

func grow(s *[]float32, n int) []float32 {
	if cap(*s) < n {
		*s = make([]float32, n)
	}
	*s = (*s)[:n]
	return *s
}

func (s *Space) workerLines(w Workers, n int) [][]float32 {
	for len(s.lines) < max(1, int(w)) {
		s.lines = append(s.lines, nil)
	}
	for i := range s.lines {
		grow(&s.lines[i], n)
	}
	return s.lines
}

// Conv is a fused 3x3 convolution over a batch of boards:
//
//	y = relu(conv(x, w) + bias + boardBias + residual)
//
// with squares off the board counting as zero. x is [Boards*64][In], w is
// [3][3][In][Out], bias [Out], boardBias [Boards][Out] and residual and y
// [Boards*64][Out]. boardBias and residual may be nil.
//
// The method is Winograd's F(4x4, 3x3) (Lavin and Gray 2016), a quarter of the
// multiplications of the direct sum; the gradients are the exact adjoint of
// what Forward computes, so they cost a quarter too. Rounding error is a few
// 1e-6 of the largest value.
type Conv struct {
	Boards, In, Out int
	Workers         Workers
	Space           *Space
}

// Forward computes y.
func (c *Conv) Forward(x, w, bias, boardBias, residual, y []float32) {
	s := c.Space
	n := c.Boards * tiles
	v, m := grow(&s.v, points*n*c.In), grow(&s.m, points*n*c.Out)
	lines := s.workerLines(c.Workers, lineSpace(max(c.In, c.Out)))
	u := c.filters(w)

	c.Workers.each(c.Boards, func(worker, b int) {
		boardToTiles(x, b, c.Boards, c.In, v, lines[worker])
	})
	c.Workers.each(points, func(_, p int) {
		mp := m[p*n*c.Out : (p+1)*n*c.Out]
		clear(mp)
		mulAdd(n, c.Out, c.In, v[p*n*c.In:], u[p*c.In*c.Out:], mp)
	})
	c.Workers.each(c.Boards, func(worker, b int) {
		line := lines[worker]
		tilesToBoard(m, b, c.Boards, c.Out, y, line)
		add := line[:c.Out]
		copy(add, bias)
		if boardBias != nil {
			for j, t := range boardBias[b*c.Out : (b+1)*c.Out] {
				add[j] += t
			}
		}
		for r := b * squares; r < (b+1)*squares; r++ {
			yr := y[r*c.Out : (r+1)*c.Out]
			a := add[:len(yr)]
			if residual == nil {
				for j, t := range yr {
					yr[j] = max(0, t+a[j])
				}
				continue
			}
			res := residual[r*c.Out : (r+1)*c.Out][:len(yr)]
			for j, t := range yr {
				yr[j] = max(0, t+a[j]+res[j])
			}
		}
	})
}

// Backward takes dy, the gradient of the loss by y, to the gradients by the
// inputs of Forward, which it sets. y is what Forward computed of x and w.
// dx, dBoardBias and dResidual may be nil, if they are not wanted. No output
// may overlap an input, except that dResidual may be dy.
func (c *Conv) Backward(x, w, y, dy, dx, dw, dBias, dBoardBias, dResidual []float32) {
	s := c.Space
	n := c.Boards * tiles
	v, m := grow(&s.v, points*n*c.In), grow(&s.m, points*n*c.Out)
	u, du := c.filters(w), grow(&s.du, points*c.In*c.Out)
	lines := s.workerLines(c.Workers, lineSpace(max(c.In, c.Out))+c.In*c.Out)
	if dResidual == nil {
		dResidual = grow(&s.g, len(y))
	}
	if dBoardBias == nil {
		dBoardBias = grow(&s.sums, c.Boards*c.Out)
	}

	c.Workers.each(c.Boards, func(worker, b int) {
		sum := dBoardBias[b*c.Out : (b+1)*c.Out]
		clear(sum)
		for r := b * squares; r < (b+1)*squares; r++ {
			maskAndSum(dResidual[r*c.Out:(r+1)*c.Out], dy[r*c.Out:], y[r*c.Out:], sum)
		}
		boardToTilesAdjoint(dResidual, b, c.Boards, c.Out, m, lines[worker])
		boardToTiles(x, b, c.Boards, c.In, v, lines[worker])
	})
	sumRows(dBoardBias, c.Out, dBias)
	c.Workers.each(points, func(worker, p int) {
		vp, mp := v[p*n*c.In:(p+1)*n*c.In], m[p*n*c.Out:(p+1)*n*c.Out]
		up, dup := u[p*c.In*c.Out:(p+1)*c.In*c.Out], du[p*c.In*c.Out:(p+1)*c.In*c.Out]
		clear(dup)
		mulTransAdd(c.In, c.Out, n, vp, mp, dup)
		if dx != nil {
			// This point's input is used up, so its gradient takes its place.
			ut := lines[worker][:c.In*c.Out]
			transpose(c.In, c.Out, up, ut)
			clear(vp)
			mulAdd(n, c.In, c.Out, mp, ut, vp)
		}
	})
	if dx != nil {
		c.Workers.each(c.Boards, func(worker, b int) {
			tilesToBoardAdjoint(v, b, c.Boards, c.In, dx, lines[worker])
		})
	}
	pointsToFilterAdjoint(du, c.In*c.Out, dw, grow(&s.line, 18*c.In*c.Out))
}

// filters transforms w for the products.
func (c *Conv) filters(w []float32) []float32 {
	size := c.In * c.Out
	u := grow(&c.Space.u, points*size)
	filterToPoints(w, size, u, grow(&c.Space.line, 18*size))
	return u
}

// maskAndSum sets g to dy where y is above zero and to 0 elsewhere, and adds it
// to sum.
func maskAndSum(g, dy, y, sum []float32) {
	dy, y, sum = dy[:len(g)], y[:len(g)], sum[:len(g)]
	for j, d := range dy {
		d = passed(y[j], d)
		g[j] = d
		sum[j] += d
	}
}

// passed is d if y, a result of ReLU, is above zero and 0 if it is zero. Which
// it will be cannot be foreseen, so a branch would cost more than this.
func passed(y, d float32) float32 {
	mask := -int32(math.Float32bits(y)) >> 31
	return math.Float32frombits(math.Float32bits(d) & uint32(mask))
}

// sumRows sets sum to the sum of the rows of a, len(sum) numbers each.
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
