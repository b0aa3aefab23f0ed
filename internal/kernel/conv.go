package kernel

import "fmt"

// Conv is a 3x3 convolution over 8x8 boards, squares off the board counting as
// zero, by Winograd's F(4,3). It holds no weights and is safe for concurrent
// use.
//
// Groups of boards go through together, so that the weights are read once a
// group and what is between the transforms stays in the second-level cache.
type Conv struct {
	path    *Path
	in, out int
	group   int // boards
}

// NewConv returns a convolution of in to out channels, multiples of 8.
func NewConv(p *Path, in, out int) *Conv {
	for _, n := range []int{in, out} {
		if n <= 0 || n%p.narrow.lanes != 0 {
			panic(fmt.Sprintf("kernel: %d channels are not a multiple of %d", n, p.narrow.lanes))
		}
	}
	return &Conv{path: p, in: in, out: out, group: min(max(512/max(in, out), 4), 16)}
}

// Group is how many boards go through together. A network that takes so many at
// a time through all its layers keeps their activations in the cache too.
func (c *Conv) Group() int { return c.group }

// PackedSize is the length of packed weights.
func (c *Conv) PackedSize() int { return points * c.in * c.out }

// Pack transforms the rows lo to hi-1 of the weights w, [3][3][in][out], for
// Forward. row is scratch of 36*out.
func (c *Conv) Pack(packed, w []float32, lo, hi int, row []float32) {
	r := c.path.of(c.out)
	for i := lo; i < hi; i++ {
		filterPoints(row, w, i, c.in, c.out)
		for p := range points {
			r.packRow(packed[p*c.in*c.out:], row[p*c.out:][:c.out], i, c.in)
		}
	}
}

// PackTransposed is Pack for Backward.
func (c *Conv) PackTransposed(packed, w []float32, lo, hi int, row []float32) {
	r := c.path.of(c.in)
	r.panels(c.in, func(column, vectors int) {
		width := vectors * r.lanes
		for i := max(lo, column); i < min(hi, column+width); i++ {
			filterPoints(row, w, i, c.in, c.out)
			for p := range points {
				to := packed[p*c.in*c.out+column*c.out+i-column:]
				for o, v := range row[p*c.out:][:c.out] {
					to[o*width] = v
				}
			}
		}
	})
}

// pointStride is how far apart the points of a transformed board lie. A vector
// more than the tiles need keeps them from sharing one set of the cache.
func pointStride(channels int) int { return tiles*channels + 16 }

// Scratch is the working memory of convolutions, for one goroutine. The zero
// value is ready; it grows to what the largest needs.
type Scratch struct{ v, m, line, sum []float32 }

func (s *Scratch) grow(c *Conv) {
	grow(&s.v, c.group*points*pointStride(c.in))
	grow(&s.m, c.group*points*pointStride(c.out))
	grow(&s.line, lineSize)
	grow(&s.sum, c.out)
}

// apart is how much memory is left free behind a transformed group. Its boards
// are far from one another, so the processor prefetches far behind its end; where
// another goroutine's group followed at once (Zen 4), that one took twice as long.
const apart = 1 << 16 // float32

// grow makes s as long as n at least, with free memory behind it.
func grow(s *[]float32, n int) {
	if len(*s) < n {
		*s = make([]float32, n+apart)[:n]
	}
}

// Forward sets y, [boards][64][out], to relu(conv(x) + bias + residual), where x
// is [boards][64][in], the weights are packed by Pack, and residual is shaped as
// y, or nil for none. bias is [out], or [boards][out] for a bias of each board's
// own. y may be residual.
func (c *Conv) Forward(y, x, packed, bias, residual []float32, boards int, s *Scratch) {
	s.grow(c)
	x, y = x[:boards*64*c.in], y[:boards*64*c.out]
	packed = packed[:c.PackedSize()]
	ri, ro := c.path.of(c.in), c.path.of(c.out)
	vp, mp := pointStride(c.in), pointStride(c.out)
	vs, ms := points*vp, points*mp
	own := 0
	if len(bias) > c.out {
		own = c.out
		bias = bias[:boards*c.out]
	}
	for first := 0; first < boards; first += c.group {
		n := min(c.group, boards-first)
		for b := range n {
			ri.input(s.v[b*vs:][:vs], x[(first+b)*64*c.in:][:64*c.in], s.line, c.in, vp)
		}
		for p := range points {
			u := packed[p*c.in*c.out:]
			ro.panels(c.out, func(column, vectors int) {
				ro.product(vectors, s.m[p*mp+column:], s.v[p*vp:], u[column*c.in:], c.in, n, vs, ms, c.out)
			})
		}
		for b := range n {
			at := (first + b) * 64 * c.out
			yb, m, bb := y[at:][:64*c.out], s.m[b*ms:][:ms], bias[(first+b)*own:][:c.out]
			if residual == nil {
				ro.output(yb, m, bb, s.line, c.out, mp)
			} else {
				ro.outputAdd(yb, m, bb, residual[at:][:64*c.out], s.line, c.out, mp)
			}
		}
	}
}

// Gradients are what Backward sets or adds to.
type Gradients struct {
	X       []float32 // [boards][64][in], set; nil if not wanted
	Before  []float32 // [boards][64][out], set: the gradient before the ReLU; may be dy
	Sums    []float32 // [boards][out], set: the sums of Before over the squares
	Weights []float32 // [36][in][out], added to: the gradient by the transformed weights
}

// Backward takes dy, the gradient of the loss by y, to the gradients by the
// inputs of Forward. x and y are Forward's; the weights are packed by
// PackTransposed, or nil if the gradient by x is not wanted. The gradients are
// the exact adjoint of what Forward computes.
func (c *Conv) Backward(d Gradients, x, y, dy, packed []float32, boards int, s *Scratch) {
	s.grow(c)
	x, y, dy = x[:boards*64*c.in], y[:boards*64*c.out], dy[:boards*64*c.out]
	du := d.Weights[:c.PackedSize()]
	ri, ro := c.path.of(c.in), c.path.of(c.out)
	vp, mp := pointStride(c.in), pointStride(c.out)
	vs, ms := points*vp, points*mp
	for first := 0; first < boards; first += c.group {
		n := min(c.group, boards-first)
		for b := range n {
			at, to := (first+b)*64*c.in, (first+b)*64*c.out
			ro.outputAdjoint(s.m[b*ms:][:ms], d.Before[to:][:64*c.out], d.Sums[(first+b)*c.out:][:c.out],
				dy[to:][:64*c.out], y[to:][:64*c.out], s.line, c.out, mp)
			ri.input(s.v[b*vs:][:vs], x[at:][:64*c.in], s.line, c.in, vp)
		}
		for p := range points {
			v, m := s.v[p*vp:], s.m[p*mp:]
			ro.panels(c.out, func(column, vectors int) {
				ro.outer(vectors, du[p*c.in*c.out+column:], v, m[column:], c.in, n, vs, ms, c.in, c.out, c.out)
			})
			if d.X == nil {
				continue
			}
			// This point's input is used up, so its gradient takes its place.
			u := packed[p*c.in*c.out:]
			ri.panels(c.in, func(column, vectors int) {
				ri.product(vectors, v[column:], m, u[column*c.out:], c.out, n, ms, vs, c.in)
			})
		}
		for b := 0; b < n && d.X != nil; b++ {
			ri.inputAdjoint(d.X[(first+b)*64*c.in:][:64*c.in], s.v[b*vs:][:vs], s.line, c.in, vp)
		}
	}
}
