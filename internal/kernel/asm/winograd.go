package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

type vec = reg.VecPhysical

// spread applies the transpose of B of F(4,3) along a line. The registers d contain five
// neighbouring squares. The sixth is off the board and zero; it comes before them in the first
// tile and after them in the last. The registers t are spare, and c4 and c5 contain the constants 4
// and 5.
func spread(d [5]vec, first bool, t [4]vec, c4, c5 vec, store func(i int, v vec)) {
	a, b, r, e := t[0], t[1], t[2], t[3]
	d1, d2, d3, d4 := d[1], d[2], d[3], d[4]
	if first {
		d1, d2, d3, d4 = d[0], d[1], d[2], d[3]
	}
	VMOVAPS(d4, a)
	VFNMADD231PS(c4, d2, a)
	VMOVAPS(d3, b)
	VFNMADD231PS(c4, d1, b)
	VADDPS(b, a, r)
	store(1, r)
	VSUBPS(b, a, r)
	store(2, r)
	VSUBPS(d2, d4, a)
	VSUBPS(d1, d3, e)
	VADDPS(e, e, e)
	VADDPS(e, a, r)
	store(3, r)
	VSUBPS(e, a, r)
	store(4, r)
	VMOVAPS(d4, r)
	VFNMADD231PS(c5, d2, r)
	if !first {
		VFMADD231PS(c4, d[0], r)
	}
	store(0, r)
	VMULPS(c4, d1, r)
	VFNMADD231PS(c5, d3, r)
	if first {
		VADDPS(d[4], r, r)
	}
	store(5, r)
}

// input transforms a board to the 36 points of its four tiles.
func (s *set) input() {
	s.text("Input", "func(v, x, line []float32, channels, point int)", "implements input.")
	v, x, channels, square := pointer("v"), pointer("x"), integer("channels"), stride("channels")
	s.vectors(channels)
	c4, c5 := s.v[14], s.v[15]
	s.fill(c4, 4)
	s.fill(c5, 5)
	t := [4]vec{s.v[8], s.v[9], s.v[10], s.v[11]}
	// eight transforms both tiles of a line of eight vectors.
	eight := func(at func(i int) Mem, store func(tile, i int, v vec)) {
		for tile := range 2 {
			var d [5]vec
			for i := range d {
				d[i] = s.v[i]
				VMOVUPS(at(3*tile+i), d[i])
			}
			spread(d, tile == 0, t, c4, c5, func(i int, v vec) { store(tile, i, v) })
		}
	}
	loop("group", channels, func() {
		tp := pointer("line")
		squares := newLines(x, times(8, square), 8)
		loop("file", count(8), func() {
			eight(squares.at, func(tile, i int, v vec) {
				VMOVUPS(v, Mem{Base: tp, Disp: (tile*6 + i) * 8 * s.bytes})
			})
			ADDQ(Imm(uint64(s.bytes)), tp)
			squares.advance(square)
		})
		s.halves(v, square, func(points [2]*lines, tp reg.GPVirtual) {
			eight(func(i int) Mem { return Mem{Base: tp, Disp: i * s.bytes} },
				func(tile, i int, v vec) { VMOVUPS(v, points[tile].at(i)) })
		})
		ADDQ(Imm(uint64(s.bytes)), x)
		ADDQ(Imm(uint64(s.bytes)), v)
	})
	s.end()
}

// halves emits loops over the twelve half-transformed lines of a board, at tp. The argument points
// addresses the six points of each of the two tiles of a line in the tensor at v.
func (s *set) halves(v, square reg.GPVirtual, body func(points [2]*lines, tp reg.GPVirtual)) {
	tp, vp, point := pointer("line"), GP64(), stride("point")
	MOVQ(v, vp)
	point6 := times(6, point)
	for _, half := range []string{"south", "north"} {
		left := newLines(vp, point, 6)
		at := GP64()
		LEAQ(Mem{Base: vp, Index: square, Scale: 1}, at)
		right := newLines(at, point, 6)
		loop(half, count(6), func() {
			body([2]*lines{left, right}, tp)
			ADDQ(I32(8*s.bytes), tp)
			left.advance(point6)
			right.advance(point6)
		})
		if half == "south" {
			LEAQ(Mem{Base: vp, Index: square, Scale: 2}, vp)
		}
	}
}

// gather applies the transpose of A of F(4,3), which transforms six numbers to four.
func gather(q [6]vec, t [4]vec, c2, c4, c8 vec) [4]vec {
	a, b, c, e := t[0], t[1], t[2], t[3]
	VADDPS(q[2], q[1], a)
	VSUBPS(q[2], q[1], b)
	VADDPS(q[4], q[3], c)
	VSUBPS(q[4], q[3], e)
	r0, r1, r2, r3 := q[0], q[1], q[2], q[5]
	VADDPS(a, r0, r0)
	VADDPS(c, r0, r0)
	VMOVAPS(b, r1)
	VFMADD231PS(e, c2, r1)
	VMOVAPS(a, r2)
	VFMADD231PS(c, c4, r2)
	VADDPS(b, r3, r3)
	VFMADD231PS(e, c8, r3)
	return [4]vec{r0, r1, r2, r3}
}

// output transforms the 36 points of the four tiles of a board to its squares, adds the bias and, if
// residual is true, the residual, and applies ReLU.
func (s *set) output(residual bool) {
	name, signature, doc := "Output", "func(y, m, bias, line []float32, channels, point int)", "implements output."
	if residual {
		name, signature, doc = "OutputAdd", "func(y, m, bias, residual, line []float32, channels, point int)", "implements outputAdd."
	}
	s.text(name, signature, doc)
	y, m, bias := pointer("y"), pointer("m"), pointer("bias")
	var distance reg.GPVirtual // from y to residual
	if residual {
		distance = pointer("residual")
		SUBQ(y, distance)
	}
	channels, square := integer("channels"), stride("channels")
	s.vectors(channels)
	c2, c4, c8, zero, add := s.v[11], s.v[12], s.v[13], s.v[14], s.v[15]
	s.fill(c2, 2)
	s.fill(c4, 4)
	s.fill(c8, 8)
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
		mp, yp := GP64(), GP64()
		MOVQ(m, mp)
		MOVQ(y, yp)
		tiles(square, mp, yp, func() {
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
			line := GP64()
			MOVQ(yp, line)
			for r := range 4 {
				at := GP64()
				MOVQ(line, at)
				for _, v := range six(func(i int) Mem { return Mem{Base: tmp, Disp: (r*6 + i) * s.bytes} }) {
					VADDPS(add, v, v)
					if residual {
						VADDPS(Mem{Base: at, Index: distance, Scale: 1}, v, v)
					}
					VMAXPS(v, zero, v) // in this order a NaN stays a NaN
					VMOVUPS(v, Mem{Base: at})
					ADDQ(square, at)
				}
				if r < 3 {
					LEAQ(Mem{Base: line, Index: square, Scale: 8}, line)
				}
			}
		})
		ADDQ(Imm(uint64(s.bytes)), m)
		ADDQ(Imm(uint64(s.bytes)), y)
		ADDQ(Imm(uint64(s.bytes)), bias)
	})
	s.end()
}
