package kernel

import mathbits "math/bits"

// Planes is a 3x3 convolution with bias and ReLU for input planes that are either constant
// over the board or zero on most squares. A constant plane adds the same vector to all
// squares that touch the same edges of the board; there are nine such classes. Every other
// non-zero input adds its weights to the squares around it. For a position of Arimaa this
// takes about a tenth of the operations of the direct convolution. The result is correct for
// any input; only the speed depends on its sparsity. A Planes is safe for concurrent use.
type Planes struct {
	r       *routines
	in, out int
	// around, [in][3][3][out], is what an input of 1 adds to the squares around it,
	// starting in the south-west. It is the filter rotated by 180 degrees.
	around []float32
	// constant, [in][9][out], is what a plane of ones adds to a square, by the class of
	// the square.
	constant []float32
	bias     []float32
}

// class returns the class of a square, which depends on the edges that it touches: 3 times 0, 1
// or 2 for the first, a middle or the last rank, plus the same number for the file.
func class(square int) int {
	part := func(i int) int {
		switch i {
		case 0:
			return 0
		case 7:
			return 2
		}
		return 1
	}
	return 3*part(square/8) + part(square%8)
}

// NewPlanes returns a convolution with the weights w, [3][3][in][out], and the bias, [out].
// Out must be a multiple of 8. If the bias is nil, nothing is added and there is no ReLU.
func NewPlanes(path *Path, w, bias []float32, in, out int) *Planes {
	p := &Planes{
		r: path.of(out), in: in, out: out,
		around:   make([]float32, in*9*out),
		constant: make([]float32, in*9*out),
		bias:     append([]float32(nil), bias...),
	}
	for tap := range 9 {
		for i := range in {
			copy(p.around[(i*9+8-tap)*out:][:out], w[(tap*in+i)*out:])
		}
	}
	// One square of each class. Square b2 represents the squares that touch no edge.
	for c, square := range [9]int{0, 1, 7, 8, 9, 15, 56, 57, 63} {
		for tap := range 9 {
			r, f := square/8+tap/3-1, square%8+tap%3-1
			if r < 0 || r > 7 || f < 0 || f > 7 {
				continue
			}
			for i := range in {
				axpy(p.constant[(i*9+c)*out:][:out], w[(tap*in+i)*out:], 1)
			}
		}
	}
	return p
}

// PlanesScratch is the working memory of Planes, and the result for one board. The zero value is
// ready to use. It is not safe for concurrent use.
type PlanesScratch struct {
	base   []float32 // [9][out], the sum of the constant planes on a square, by its class
	framed []float32 // [10][10][out], the board in a frame of one square
	spots  spots
}

// spots are the inputs that are not zero, other than constant planes: where their 3x3 squares begin on
// the framed board, where their weights begin, and their values.
type spots struct {
	at, from []int32
	values   []float32
}

func (s *spots) add(square, at, from int, value float32) {
	s.at = append(s.at, int32((square/8*framed+square%8)*at))
	s.from = append(s.from, int32(from))
	s.values = append(s.values, value)
}

// framed is the number of squares of a rank with its frame.
const framed = 10

// Rank returns a rank of the board that was computed last, [8][out].
func (s *PlanesScratch) Rank(r, out int) []float32 {
	return s.framed[((r+1)*framed+1)*out:][:8*out]
}

// Forward sets y, [64][out], to relu(conv(x) + bias), where plane i of x, of at most 64, is values[i] on
// the squares of squares[i], and 0 elsewhere.
func (p *Planes) Forward(y []float32, squares []uint64, values []float32, s *PlanesScratch) {
	p.Board(squares, values, s)
	for r := range 8 {
		copy(y[r*8*p.out:], s.Rank(r, p.out))
	}
}

// Board is like Forward, but leaves the result in s.
func (p *Planes) Board(squares []uint64, values []float32, s *PlanesScratch) {
	p.reset(s)
	var planes [64]uint64 // of a square, those that are not 0 there
	var some uint64       // squares that have any
	for i, set := range squares[:p.in] {
		switch {
		case values[i] == 0:
		case set == ^uint64(0):
			p.r.axpy(s.base[:9*p.out], p.constant[i*9*p.out:], values[i])
		default:
			some |= set
			for ; set != 0; set &= set - 1 {
				planes[mathbits.TrailingZeros64(set)] |= 1 << i
			}
		}
	}
	for ; some != 0; some &= some - 1 {
		square := mathbits.TrailingZeros64(some)
		for here := planes[square]; here != 0; here &= here - 1 {
			i := mathbits.TrailingZeros64(here)
			s.spots.add(square, p.out, i*9*p.out, values[i])
		}
	}
	p.finish(s)
}

func (p *Planes) reset(s *PlanesScratch) {
	grow(&s.base, 9*p.out)
	grow(&s.framed, framed*framed*p.out)
	clear(s.base[:9*p.out])
	s.spots = spots{s.spots.at[:0], s.spots.from[:0], s.spots.values[:0]}
}

// finish computes the board from the sum of its constant planes and its other inputs.
func (p *Planes) finish(s *PlanesScratch) {
	out := p.out
	for r := range 8 {
		row := s.Rank(r, out)
		if r >= 2 && r <= 6 { // equal to the second rank
			copy(row, s.Rank(1, out))
			continue
		}
		for f := range 8 {
			copy(row[f*out:][:out], s.base[class(r*8+f)*out:])
		}
	}
	p.r.scatter(s.framed, p.around, s.spots.at, s.spots.from, s.spots.values, out)
	if p.bias == nil {
		return
	}
	// The squares of the frame between the ranks make no difference.
	between := 8*framed - 2
	p.r.rectify(s.framed[(framed+1)*out:][:between*out], p.bias, between)
}
