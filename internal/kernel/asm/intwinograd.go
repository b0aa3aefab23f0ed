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

// intInput transforms a board to the 36 points of its four tiles.
func (s *set) intInput() {
	s.text("Input", "func(v, x []int16, line []float32, channels, point int)", "implements input.")
	v, x, channels, square := pointer("v"), pointer("x"), integer("channels"), halfStride("channels")
	s.vectors(channels)
	c4, c5 := s.v[14], s.v[15]
	s.fill(c4, 4)
	s.fill(c5, 5)
	// The divisors of points, by the number of rows 3 and 4.
	divided := [3]vec{s.v[7], s.v[12], s.v[13]}
	s.fill(divided[0], 1./32)
	s.fill(divided[1], 1./16)
	s.fill(divided[2], 1./8)
	t := [4]vec{s.v[8], s.v[9], s.v[10], s.v[11]}
	// eight transforms both tiles of a line of eight vectors.
	eight := func(load func(i int, v vec), store func(tile, i int, v vec)) {
		for tile := range 2 {
			var d [5]vec
			for i := range d {
				d[i] = s.v[i]
				load(3*tile+i, d[i])
			}
			spread(d, tile == 0, t, c4, c5, func(i int, v vec) { store(tile, i, v) })
		}
	}
	small := func(i int) int { // whether the row of the matrix is 3 or 4
		if i == 3 || i == 4 {
			return 1
		}
		return 0
	}
	loop("group", channels, func() {
		tp := pointer("line")
		squares := newLines(x, times(8, square), 8)
		loop("file", count(8), func() {
			eight(func(i int, v vec) { s.widen(squares.at(i), v) }, func(tile, i int, v vec) {
				VMOVUPS(v, Mem{Base: tp, Disp: (tile*6 + i) * 8 * s.bytes})
			})
			ADDQ(Imm(uint64(s.bytes)), tp)
			squares.advance(square)
		})
		tp, vp := pointer("line"), GP64()
		MOVQ(v, vp)
		for _, half := range []string{"south", "north"} {
			point := halfStride("point")
			left, at := newLines(vp, point, 6), GP64()
			LEAQ(Mem{Base: vp, Index: square, Scale: 1}, at)
			points := [2]*lines{left, newLines(at, point, 6)}
			line := func(row int) {
				eight(func(i int, v vec) { VMOVUPS(Mem{Base: tp, Disp: i * s.bytes}, v) },
					func(tile, i int, v vec) {
						VMULPS(divided[small(row)+small(i)], v, v)
						s.narrow(v, points[tile].at(i))
					})
				ADDQ(I32(8*s.bytes), tp)
				for _, p := range points {
					p.advance(times(6, point))
				}
			}
			// Rows 0 to 2, 3 and 4, and 5.
			loop(half+"First", count(3), func() { line(0) })
			loop(half+"Small", count(2), func() { line(3) })
			line(5)
			if half == "south" {
				LEAQ(Mem{Base: vp, Index: square, Scale: 2}, vp)
			}
		}
		ADDQ(Imm(uint64(s.bytes/2)), x)
		ADDQ(Imm(uint64(s.bytes/2)), v)
	})
	s.end()
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
	c2, c4, c8, zero, add, top := s.v[11], s.v[12], s.v[13], s.v[14], s.v[15], s.v[10]
	s.fill(c2, 2)
	s.fill(c4, 4)
	s.fill(c8, 8)
	s.fill(top, 32767)
	s.zero(zero)
	t := [4]vec{s.v[6], s.v[7], s.v[8], s.v[9]}
	six := func(at func(i int) Mem) [4]vec {
		var q [6]vec
		for i := range q {
			q[i] = s.v[i]
			VMOVUPS(at(i), q[i])
		}
		return gather(q, t, c2, c4, c8)
	}
	loop("group", channels, func() {
		VMOVUPS(Mem{Base: bias}, add)
		mp, yp, turn := GP64(), GP64(), count(4)
		MOVQ(m, mp)
		MOVQ(y, yp)
		loop("tile", turn, func() {
			tmp, point := pointer("line"), stride("point")
			products := newLines(mp, times(6, point), 6)
			for j := range 6 {
				for r, v := range six(products.at) {
					VMOVUPS(v, Mem{Base: tmp, Disp: (r*6 + j) * s.bytes})
				}
				if j < 5 {
					products.advance(point)
				}
			}
			line, square := GP64(), halfStride("square")
			MOVQ(yp, line)
			for r := range 4 {
				at := GP64()
				MOVQ(line, at)
				for _, v := range six(func(i int) Mem { return Mem{Base: tmp, Disp: (r*6 + i) * s.bytes} }) {
					VADDPS(add, v, v)
					if residual {
						own := t[0]
						s.widen(Mem{Base: at, Index: distance, Scale: 1}, own)
						VMULPS(Mem{Base: ratio}, own, own)
						VADDPS(own, v, v)
					}
					VMAXPS(zero, v, v)
					VMINPS(top, v, v)
					s.narrow(v, Mem{Base: at})
					ADDQ(square, at)
				}
				if r < 3 {
					LEAQ(Mem{Base: line, Index: square, Scale: 8}, line)
				}
			}
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
