package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// widen sets v to the whole numbers of 16 bits at m.
func (s *set) widen(m Mem, v vec) {
	VPMOVSXWD(m, v)
	VCVTDQ2PS(v, v)
}

// narrow rounds the numbers of v and stores them with 16 bits, limited to these.
func (s *set) narrow(v vec, m Mem) {
	VCVTPS2DQ(v, v)
	s.pack(v, m)
}

// pack stores the whole numbers of v with 16 bits, limited to these.
func (s *set) pack(v vec, m Mem) {
	if s.bytes == 64 {
		VPMOVSDW(v, m)
		return
	}
	VPACKSSDW(v, v, v)
	VPERMQ(Imm(8), v, v)
	VMOVDQU(v.AsX(), m)
}

// narrowTwo is like narrow for two vectors. For AVX2 it takes fewer instructions.
func (s *set) narrowTwo(v, w vec, atV, atW Mem) {
	if s.bytes == 64 {
		s.narrow(v, atV)
		s.narrow(w, atW)
		return
	}
	VCVTPS2DQ(v, v)
	VCVTPS2DQ(w, w)
	VPACKSSDW(w, v, v)
	s.storeHalves(v, atV, atW)
}

// rectifyTwo is like narrowTwo, but sets negative numbers to 0 and those above top to top.
func (s *set) rectifyTwo(v, w, zero, top vec, atV, atW Mem) {
	VMINPS(top, v, v)
	VMINPS(top, w, w)
	if s.bytes == 64 {
		VMAXPS(zero, v, v)
		VMAXPS(zero, w, w)
		s.narrowTwo(v, w, atV, atW)
		return
	}
	VCVTPS2DQ(v, v)
	VCVTPS2DQ(w, w)
	VPACKUSDW(w, v, v) // negative numbers become 0
	s.storeHalves(v, atV, atW)
}

// storeHalves stores what has been packed from two vectors.
func (s *set) storeHalves(v vec, first, second Mem) {
	VPERMQ(Imm(0xD8), v, v)
	VMOVDQU(v.AsX(), first)
	VEXTRACTI128(Imm(1), v, second)
}

// intInput transforms a board to the 36 points of its four tiles. It divides the squares by the largest divisor
// of a point, and doubles the lines that have a smaller one.
func (s *set) intInput() {
	s.text("Input", "func(v, x []int16, line []float32, channels, point int)", "implements input.")
	v, x, channels, square := pointer("v"), pointer("x"), integer("channels"), halfStride("channels")
	s.vectors(channels)
	divided, c4, c5 := s.v[0], s.v[1], s.v[2]
	s.fill(divided, 1./32)
	s.fill(c4, 4)
	s.fill(c5, 5)
	t, d := [3]vec(s.v[3:]), [8]vec(s.v[6:])
	loop("group", channels, func() {
		tp := pointer("line")
		squares := newLines(x, times(8, square), 8)
		loop("file", count(8), func() {
			for i := range d {
				s.widen(squares.at(i), d[i])
				VMULPS(divided, d[i], d[i])
			}
			intSpread(d, t, c4, c5, func(tile, i, j int, v, w vec) {
				VMOVUPS(v, Mem{Base: tp, Disp: (tile*6 + i) * 8 * s.bytes})
				VMOVUPS(w, Mem{Base: tp, Disp: (tile*6 + j) * 8 * s.bytes})
			})
			ADDQ(Imm(uint64(s.bytes)), tp)
			squares.advance(square)
		})
		s.halves(v, square, halfStride("point"), func(points [2]*lines, tp reg.GPVirtual) {
			for i := range d {
				VMOVUPS(Mem{Base: tp, Disp: i * s.bytes}, d[i])
			}
			intSpread(d, t, c4, c5, func(tile, i, j int, v, w vec) {
				s.narrowTwo(v, w, points[tile].at(i), points[tile].at(j))
			})
		})
		ADDQ(Imm(uint64(s.bytes/2)), x)
		ADDQ(Imm(uint64(s.bytes/2)), v)
	})
	s.end()
}

// intSpread applies the transpose of B of F(4,3) to both tiles of a line of eight squares, d, with rows 3 and 4
// doubled. It calls store for two results at a time, i and j. All numbers are exact, so their order
// makes no difference.
func intSpread(d [8]vec, t [3]vec, c4, c5 vec, store func(tile, i, j int, v, w vec)) {
	a, b, r := t[0], t[1], t[2]
	for tile := range 2 {
		d1, d2, d3, d4 := d[4*tile], d[4*tile+1], d[4*tile+2], d[4*tile+3]
		VMOVAPS(d4, a)
		VFNMADD231PS(c4, d2, a)
		VMOVAPS(d3, b)
		VFNMADD231PS(c4, d1, b)
		VSUBPS(b, a, r)
		VADDPS(b, a, a)
		store(tile, 1, 2, a, r)
		VSUBPS(d2, d4, a)
		VADDPS(a, a, a)
		VSUBPS(d1, d3, b)
		VMOVAPS(a, r)
		VFNMADD231PS(c4, b, r)
		VFMADD231PS(c4, b, a)
		store(tile, 3, 4, a, r)
		VMOVAPS(d4, a)
		VFNMADD231PS(c5, d2, a)
		VMULPS(c4, d1, b)
		VFNMADD231PS(c5, d3, b)
		if tile == 0 { // the square before the line is 0
			VADDPS(d[4], b, b)
		} else {
			VFMADD231PS(c4, d[3], a)
		}
		store(tile, 0, 5, a, b)
	}
}

// intOutput transforms the 36 points of the four tiles of a board to its squares, adds the bias and, if
// residual is true, the residual, applies ReLU, and rounds.
func (s *set) intOutput(residual bool) {
	name, signature, doc := "Output", "func(y []int16, m, bias, line []float32, channels, square, point int)", "implements output."
	if residual {
		name, signature, doc = "OutputAdd", "func(y []int16, m, bias []float32, residual []int16, ratio, line []float32, channels, square, point int)", "implements outputAdd."
	}
	s.text(name, signature, doc)
	y, m, bias := pointer("y"), pointer("m"), pointer("bias")
	var distance, ratio reg.GPVirtual // from y to residual
	if residual {
		distance, ratio = pointer("residual"), pointer("ratio")
		SUBQ(y, distance)
	}
	channels := integer("channels")
	s.vectors(channels)
	zero, top, q := s.v[0], s.v[1], s.newSquare()
	s.zero(zero)
	s.fill(top, 32767)
	loop("group", channels, func() {
		mp, yp, turn := GP64(), GP64(), count(4)
		MOVQ(m, mp)
		MOVQ(y, yp)
		loop("tile", turn, func() {
			line := GP64()
			q.tile(mp, func(r int, squares [4]vec) {
				at, next, square := GP64(), GP64(), halfStride("square")
				if r == 0 {
					MOVQ(yp, line)
				}
				MOVQ(line, at)
				LEAQ(Mem{Base: line, Index: square, Scale: 1}, next)
				add := func(v vec, at reg.GPVirtual) {
					VADDPS(Mem{Base: bias}, v, v)
					if residual {
						own := q.free[0]
						s.widen(Mem{Base: at, Index: distance, Scale: 1}, own)
						VMULPS(Mem{Base: ratio}, own, own)
						VADDPS(own, v, v)
					}
				}
				for i := 0; i < 4; i += 2 {
					add(squares[i], at)
					add(squares[i+1], next)
					s.rectifyTwo(squares[i], squares[i+1], zero, top, Mem{Base: at}, Mem{Base: next})
					if i == 0 {
						LEAQ(Mem{Base: at, Index: square, Scale: 2}, at)
						LEAQ(Mem{Base: next, Index: square, Scale: 2}, next)
					}
				}
				if r < 3 {
					LEAQ(Mem{Base: line, Index: square, Scale: 8}, line)
				}
			})
			square := halfStride("square")
			ADDQ(stride("channels"), mp)
			LEAQ(Mem{Base: yp, Index: square, Scale: 4}, yp)
			CMPQ(turn, Imm(3)) // between the second and the third tile, skip three ranks
			JNE(LabelRef("beside"))
			for range 3 {
				LEAQ(Mem{Base: yp, Index: square, Scale: 8}, yp)
			}
			Label("beside")
		})
		ADDQ(Imm(uint64(s.bytes)), m)
		ADDQ(Imm(uint64(s.bytes/2)), y)
		ADDQ(Imm(uint64(s.bytes)), bias)
		if residual {
			ADDQ(Imm(uint64(s.bytes)), ratio)
		}
	})
	s.end()
}
