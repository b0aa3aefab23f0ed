package bf16

// Conv is a 3x3 convolution over 8x8 boards, padded with zeros. It is safe for concurrent
// use.
type Conv struct {
	unit    *Unit
	in, out int // in with padding
	skip    int // 1 if boards have the left channels twice, else 0
	weights []uint16
	bias    []float32 // [out, with padding]
}

// NewConv rounds the weights w, [3][3][in][out], and takes the bias, [out].
func NewConv(u *Unit, w, bias []float32, in, out int) *Conv {
	c := &Conv{unit: u, in: roundUp(in, step), out: out}
	if doubled(in) {
		c.skip = 1
	}
	c.weights = pack(w, 9, in, out, doubled(in))
	c.bias = make([]float32, roundUp(out, width))
	copy(c.bias, bias)
	return c
}

// pack lays out the matrices w, [taps][in][out], as tiles of 16 pairs of inputs by 16
// outputs, [outputs/16][taps][inputs/32][16][16][2]. Missing inputs and outputs are zero.
// If the boards have their left channels twice, their tile of the second tap of three is missing,
// and its weights are in the free half of the first tap's.
func pack(w []float32, taps, in, out int, doubled bool) []uint16 {
	var packed []uint16
	weight := func(tap, i, o int) uint16 {
		if i < in && o < out {
			return Round(w[(tap*in+i)*out+o])
		}
		return 0
	}
	for o := 0; o < out; o += width {
		for tap := range taps {
			for i := 0; i < in; i += step {
				both := doubled && i+step > in
				if both && tap%3 == 1 {
					continue
				}
				tile := [step * width]uint16{}
				for k := range step {
					for j := range width {
						at := (k/2*width+j)*2 + k%2
						switch {
						case !both || k < step/2:
							tile[at] = weight(tap, i+k, o+j)
						case tap%3 == 0:
							tile[at] = weight(tap+1, i+k-step/2, o+j)
						}
					}
				}
				packed = append(packed, tile[:]...)
			}
		}
	}
	return append(aligned[uint16](len(packed))[:0], packed...)
}

// Scratch is the working memory of convolutions. The zero value is ready to use. It is not
// safe for concurrent use.
type Scratch struct {
	sums        []float32 // of two halves of the boards
	bias        []float32 // [group][rank's rows][out]
	convolution convolution
	product     product
}

const sumsSize = 2 * 4 * 16 * width

// convolution is a call of a unit.
type convolution struct {
	part
	y, x, residual *Boards // residual may be nil
	weights        []uint16
	bias           []float32 // [out], or [groups][8*boards][out]: the rows of a tile
	own            bool      // the second
	sums           []float32
	in, out        int // both with padding
	skip           int // tiles of inputs by which every second tap of three is shorter
}

// tiles returns the number of tiles of weights for 16 outputs.
func (c *convolution) tiles() int { return 9*c.in/step - 3*c.skip }

// Forward sets y to relu(conv(x) + bias + residual) for n boards. The residual may be nil
// for none, or y. Y must not be x. If bias is not nil, it is [n][out], one for each board
// instead of the convolution's own.
func (c *Conv) Forward(y, x *Boards, bias []float32, residual *Boards, n int, s *Scratch) {
	if s.sums == nil {
		s.sums = aligned[float32](sumsSize)
	}
	for _, p := range parts(n) {
		if p.groups == 0 {
			continue
		}
		s.convolution = convolution{part: p, y: y, x: x, residual: residual, weights: c.weights, bias: c.bias,
			sums: s.sums, in: c.in, out: len(c.bias), skip: c.skip}
		if bias != nil {
			s.convolution.bias, s.convolution.own = s.spread(p, bias, c.out), true
		}
		c.unit.convolve(&s.convolution)
	}
}

// spread lays out the biases of boards, [boards][out], as the rows of tiles.
func (s *Scratch) spread(p part, bias []float32, out int) []float32 {
	wide := roundUp(out, width)
	if need := p.groups * 16 * wide; len(s.bias) < need {
		s.bias = aligned[float32](need)
	}
	at := s.bias
	for g := range p.groups {
		for range 8 {
			for b := range p.boards {
				clear(at[copy(at, bias[(p.first+g*p.boards+b)*out:][:out]):wide])
				at = at[wide:]
			}
		}
	}
	return s.bias
}

// Squares is a matrix by which every square of boards is multiplied. It is safe for
// concurrent use.
type Squares struct {
	unit    *Unit
	in      int // with padding
	stride  int
	weights []uint16
}

// NewSquares rounds the matrix w, [in][out].
func NewSquares(u *Unit, w []float32, in, out int) *Squares {
	return &Squares{u, roundUp(in, step), roundUp(out, width), pack(w, 1, in, out, false)}
}

// Stride returns the distance between the rows of a product: out rounded up. The extra
// columns of a product are zero.
func (q *Squares) Stride() int { return q.stride }

// product is a call of a unit.
type product struct {
	part
	y       []float32
	x       *Boards
	weights []uint16
	in, out int // both with padding
}

// Multiply sets y to the product of x and the matrix, for the boards from i to i+1 of n, or
// to i if that is the last; i is even. It returns the number of boards. Y is
// [64][boards][Stride].
func (q *Squares) Multiply(y []float32, x *Boards, i, n int, s *Scratch) (boards int) {
	p := part{i, 2, 1}
	if i == n-1 {
		p.boards = 1
	}
	s.product = product{p, y[:64*p.boards*q.stride], x, q.weights, q.in, q.stride}
	q.unit.multiply(&s.product)
	return p.boards
}
