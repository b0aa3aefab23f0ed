package kernel

import "fmt"

// Conv is a 3x3 convolution over 8x8 boards, padded with zeros, by Winograd's F(4,3). It
// contains no weights and is safe for concurrent use.
//
// It processes boards in groups. The weights are then read only once per group, and the
// intermediate results between the transforms stay in the second-level cache.
type Conv struct {
	path    *Path
	in, out int
	group   int // boards
}

// NewConv returns a convolution from in to out channels. Both must be multiples of 8;
// otherwise NewConv panics.
func NewConv(p *Path, in, out int) *Conv {
	for _, n := range []int{in, out} {
		if n <= 0 || n%p.narrow.lanes != 0 {
			panic(fmt.Sprintf("kernel: %d channels are not a multiple of %d", n, p.narrow.lanes))
		}
	}
	return &Conv{path: p, in: in, out: out, group: min(max(512/max(in, out), 4), 16)}
}

// Group returns the number of boards in a group. A network that takes one group at a time
// through all its layers keeps the activations in the cache too.
func (c *Conv) Group() int { return c.group }

// PackedSize returns the number of elements of the packed weights.
func (c *Conv) PackedSize() int { return points * c.in * c.out }

// Pack transforms the weights w, [3][3][in][out], of the input channels lo to hi-1 into
// packed, for Forward. It uses row as scratch memory, which must have 36*out elements.
func (c *Conv) Pack(packed, w []float32, lo, hi int, row []float32) {
	r := c.path.of(c.out)
	for i := lo; i < hi; i++ {
		filterPoints(row, w, i, c.in, c.out)
		for p := range points {
			r.packRow(packed[p*c.in*c.out:], row[p*c.out:][:c.out], i, c.in)
		}
	}
}

// PackTransposed is like Pack, but packs the transposed weights for Backward.
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

// pointStride returns the distance between the points of a transformed board, in elements.
// The extra vector prevents all points from falling into the same set of the cache.
func pointStride(channels int) int { return tiles*channels + 16 }

// Scratch is the working memory of convolutions. The zero value is ready to use. It grows
// to the size that the largest convolution needs. It is not safe for concurrent use.
type Scratch struct{ v, m, line, sum []float32 }

func (s *Scratch) grow(c *Conv) {
	grow(&s.v, c.group*points*pointStride(c.in))
	grow(&s.m, c.group*points*pointStride(c.out))
	grow(&s.line, lineSize)
	grow(&s.sum, c.out)
}

// apart is the number of unused elements after a transformed group. The points of a group
// are read with a large stride, so the processor prefetches memory far beyond its end. If
// the group of another goroutine followed directly, that goroutine took twice as long
// (measured on Zen 4).
const apart = 1 << 16 // float32

// grow makes s at least n elements long, with unused memory after it.
func grow(s *[]float32, n int) {
	if len(*s) < n {
		*s = make([]float32, n+apart)[:n]
	}
}

// Forward sets y, [boards][64][out], to relu(conv(x) + bias + residual), where x is
// [boards][64][in] and packed contains the weights packed by Pack. The residual has the
// shape of y, or is nil for none; it may be y itself. The bias is [out], or
// [boards][out] for a separate bias per board.
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
				ro.product[vectors](s.m[p*mp+column:], s.v[p*vp:], u[column*c.in:], c.in, n, vs, ms, c.out)
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

// Gradients are the outputs of Backward.
type Gradients struct {
	X       []float32 // [boards][64][in], set; nil if not wanted
	Before  []float32 // [boards][64][out], set: the gradient before the ReLU; may be dy
	Sums    []float32 // [boards][out], set: the sums of Before over the squares
	Weights []float32 // [36][in][out], added to: the gradient by the transformed weights
}

// Backward computes the gradients of the loss by the inputs of Forward from dy, the
// gradient by y. The arguments x and y are those of Forward. The argument packed contains
// the weights packed by PackTransposed; it may be nil if d.X is nil. Apart from rounding,
// the gradients are the adjoint of the operations in Forward.
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
				ro.outer[vectors](du[p*c.in*c.out+column:], v, m[column:], c.in, n, vs, ms, c.in, c.out, c.out)
			})
			if d.X == nil {
				continue
			}
			// The input of this point is no longer needed, so its gradient replaces it.
			u := packed[p*c.in*c.out:]
			ri.panels(c.in, func(column, vectors int) {
				ri.product[vectors](v[column:], m, u[column*c.out:], c.out, n, ms, vs, c.in)
			})
		}
		for b := 0; b < n && d.X != nil; b++ {
			ri.inputAdjoint(d.X[(first+b)*64*c.in:][:64*c.in], s.v[b*vs:][:vs], s.line, c.in, vp)
		}
	}
}
