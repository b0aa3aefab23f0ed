package kernel

import mathbits "math/bits"

// Planes is a 3x3 convolution with bias and ReLU over input planes, which are
// of two sorts: constant over the board, or nearly everywhere zero. A constant
// plane adds the same vector to all squares that have the same edges beside
// them, which makes nine cases; every other non-zero input adds its weights to
// the squares around it. On a position of Arimaa that is about a tenth of the
// direct convolution's work. Any input gives the right result; only the speed
// depends on its being sparse. A Planes is safe for concurrent use.
type Planes struct {
	r       *routines
	in, out int
	// around is [in][3][3][out]: what an input of 1 adds to the squares around
	// it, south-west first. That is the filter turned by half a turn.
	around []float32
	// constant is [in][9][out]: what a plane of ones adds to a square, by the
	// square's class.
	constant []float32
	bias     []float32
}

// class tells squares apart by the edges they touch: 3 times 0, 1 or 2 for the
// first, a middle or the last rank, plus the same for the file.
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

// NewPlanes prepares the weights w, [3][3][in][out], and the bias, [out]; out is
// a multiple of 8.
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
	// b2, as any square away from the edges, stands for the middle.
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

// PlanesScratch is the working memory of Planes, for one goroutine. The zero
// value is ready.
type PlanesScratch struct {
	base []float32 // [9][out], a square's sums of constant planes by its class
	bits []uint64  // which inputs are not zero
}

// Forward sets y, [boards][64][out], from x, [boards][64][in].
func (p *Planes) Forward(y, x []float32, boards int, s *PlanesScratch) {
	grow(&s.base, 9*p.out)
	if len(s.bits) < p.in {
		s.bits = make([]uint64, p.in)
	}
	for b := range boards {
		p.board(y[b*64*p.out:][:64*p.out], x[b*64*p.in:][:64*p.in], s.base[:9*p.out], s.bits[:p.in])
	}
}

func (p *Planes) board(y, x, base []float32, bits []uint64) {
	in, out := p.in, p.out
	clear(base)
	var done uint64 // constant planes; those past the 64th are taken square by square
	for i, v := range x[:min(in, 64)] {
		if v != 0 && uniform(x[i:], in) {
			p.r.axpy(base, p.constant[i*9*out:], v)
			done |= 1 << i
		}
	}
	for r := range 8 {
		row := y[r*8*out:][:8*out]
		if r >= 2 && r <= 6 { // as the second
			copy(row, y[8*out:])
			continue
		}
		for f := range 8 {
			copy(row[f*out:][:out], base[class(r*8+f)*out:])
		}
	}
	p.r.nonzero(bits, x)
	for s := range 64 {
		for first := 0; first < in; first += 64 {
			n := min(64, in-first)
			some := slice(bits, s*in+first, n)
			if first == 0 {
				some &^= done
			}
			for ; some != 0; some &= some - 1 {
				i := first + mathbits.TrailingZeros64(some)
				p.scatter(y, s, i, x[s*in+i])
			}
		}
	}
	p.r.rectify(y, p.bias, 64)
}

// scatter adds what the input v of one plane and square gives to the squares
// around it.
func (p *Planes) scatter(y []float32, square, plane int, v float32) {
	out := p.out
	w := p.around[plane*9*out:][:9*out]
	rank, file := square/8, square%8
	first, last := max(file-1, 0), min(file+1, 7)
	for r := max(rank-1, 0); r <= min(rank+1, 7); r++ {
		tap := 3*(r-rank+1) + first - file + 1
		p.r.axpy(y[(r*8+first)*out:(r*8+last+1)*out], w[tap*out:], v)
	}
}

// slice returns n bits, 1 to 64, from one on.
func slice(words []uint64, from, n int) uint64 {
	i, shift := from/64, from%64
	v := words[i] >> shift
	if shift+n > 64 {
		v |= words[i+1] << (64 - shift)
	}
	return v & (^uint64(0) >> (64 - n))
}

// uniform reports whether the plane x[0], x[stride], ... is the same on all 64
// squares.
func uniform(x []float32, stride int) bool {
	for at := stride; at < 64*stride; at += stride {
		if x[at] != x[0] {
			return false
		}
	}
	return true
}
