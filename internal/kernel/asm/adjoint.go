package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// spreadAdjoint is the adjoint of spread for both tiles of a line. It transforms twelve numbers to
// eight squares.
func (s *set) spreadAdjoint(at func(tile, i int) Mem, store func(i int, v vec)) {
	c4, c5 := s.v[14], s.v[15]
	p, q, r, e, out := s.v[6], s.v[7], s.v[8], s.v[9], s.v[10]
	third, fourth := s.v[11], s.v[12] // squares that both tiles contribute to
	for tile := range 2 {
		var d [6]vec
		for i := range d {
			d[i] = s.v[i]
			VMOVUPS(at(tile, i), d[i])
		}
		VADDPS(d[2], d[1], p)
		VSUBPS(d[2], d[1], q)
		VADDPS(d[4], d[3], r)
		VSUBPS(d[4], d[3], e)
		VADDPS(e, e, e)
		// Compute the results in the order of the line, except the one off the board.
		second := func(v vec) { // 4 (d5 - q) - e
			VSUBPS(q, d[5], v)
			VMULPS(c4, v, v)
			VSUBPS(e, v, v)
		}
		middle := func(v vec) { // -5 d0 - 4 p - r
			s.zero(v)
			VFNMADD231PS(c5, d[0], v)
			VFNMADD231PS(c4, p, v)
			VSUBPS(r, v, v)
		}
		next := func(v vec) { // q + e - 5 d5
			VADDPS(e, q, v)
			VFNMADD231PS(c5, d[5], v)
		}
		fifth := func(v vec) { // d0 + p + r
			VADDPS(p, d[0], v)
			VADDPS(r, v, v)
		}
		if tile == 0 {
			second(out)
			store(0, out)
			middle(out)
			store(1, out)
			next(out)
			store(2, out)
			fifth(third)
			VMOVAPS(d[5], fourth)
			continue
		}
		VFMADD231PS(c4, d[0], third)
		store(3, third)
		second(out)
		VADDPS(out, fourth, fourth)
		store(4, fourth)
		middle(out)
		store(5, out)
		next(out)
		store(6, out)
		fifth(out)
		store(7, out)
	}
}

func (s *set) inputAdjoint() {
	s.text("InputAdjoint", "func(dx, dv, line []float32, channels, point int)", "implements inputAdjoint.")
	dx, dv, channels, square := pointer("dx"), pointer("dv"), integer("channels"), stride("channels")
	s.vectors(channels)
	s.fill(s.v[14], 4)
	s.fill(s.v[15], 5)
	loop("group", channels, func() {
		s.halves(dv, square, stride("point"), func(points [2]*lines, tp reg.GPVirtual) {
			s.spreadAdjoint(func(tile, i int) Mem { return points[tile].at(i) },
				func(i int, v vec) { VMOVUPS(v, Mem{Base: tp, Disp: i * s.bytes}) })
		})
		tp := pointer("line")
		squares := newLines(dx, times(8, square), 8)
		loop("file", count(8), func() {
			s.spreadAdjoint(func(tile, i int) Mem { return Mem{Base: tp, Disp: (tile*6 + i) * 8 * s.bytes} },
				func(i int, v vec) { VMOVUPS(v, squares.at(i)) })
			ADDQ(Imm(uint64(s.bytes)), tp)
			squares.advance(square)
		})
		ADDQ(Imm(uint64(s.bytes)), dx)
		ADDQ(Imm(uint64(s.bytes)), dv)
	})
	s.end()
}

// gatherAdjoint is the adjoint of gather. It transforms four numbers to six.
func gatherAdjoint(g [4]vec, t [3]vec, c4 vec, store func(i int, v vec)) {
	p, q, r := t[0], t[1], t[2]
	store(0, g[0])
	store(5, g[3])
	VADDPS(g[2], g[0], p)
	VADDPS(g[3], g[1], q)
	VADDPS(q, p, r)
	store(1, r)
	VSUBPS(q, p, r)
	store(2, r)
	VMOVAPS(g[0], p)
	VFMADD231PS(c4, g[2], p)
	VMOVAPS(g[1], q)
	VFMADD231PS(c4, g[3], q)
	VADDPS(q, q, q)
	VADDPS(q, p, r)
	store(3, r)
	VSUBPS(q, p, r)
	store(4, r)
}

func (s *set) outputAdjoint() {
	s.text("OutputAdjoint", "func(dm, g, sum, dy, y, line []float32, channels, point int)", "implements outputAdjoint.")
	dm, sum, dy := pointer("dm"), pointer("sum"), pointer("dy")
	channels, square := integer("channels"), stride("channels")
	s.vectors(channels)
	c4, zero, total := s.v[13], s.v[14], s.v[15]
	s.fill(c4, 4)
	s.zero(zero)
	t := [3]vec{s.v[4], s.v[5], s.v[6]}
	g := [4]vec{s.v[0], s.v[1], s.v[2], s.v[3]}
	loop("group", channels, func() {
		s.zero(total)
		mp, yp := GP64(), GP64()
		MOVQ(dm, mp)
		MOVQ(dy, yp)
		tiles(square, mp, yp, func() {
			tmp, start, toG, toY := pointer("line"), pointer("dy"), pointer("g"), pointer("y")
			SUBQ(start, toG) // distances from dy
			SUBQ(start, toY)
			line := GP64()
			MOVQ(yp, line)
			for r := range 4 {
				at := GP64()
				MOVQ(line, at)
				for _, v := range g {
					s.passed(v, Mem{Base: at}, Mem{Base: at, Index: toY, Scale: 1}, zero, t[0])
					VADDPS(v, total, total)
					VMOVUPS(v, Mem{Base: at, Index: toG, Scale: 1})
					ADDQ(square, at)
				}
				gatherAdjoint(g, t, c4, func(i int, v vec) {
					VMOVUPS(v, Mem{Base: tmp, Disp: (i*4 + r) * s.bytes})
				})
				if r < 3 {
					LEAQ(Mem{Base: line, Index: square, Scale: 8}, line)
				}
			}
			point := stride("point")
			points := newLines(mp, times(6, point), 6)
			for j := range 6 {
				for r, v := range g {
					VMOVUPS(Mem{Base: tmp, Disp: (j*4 + r) * s.bytes}, v)
				}
				gatherAdjoint(g, t, c4, func(i int, v vec) { VMOVUPS(v, points.at(i)) })
				if j < 5 {
					points.advance(point)
				}
			}
		})
		VMOVUPS(total, Mem{Base: sum})
		ADDQ(Imm(uint64(s.bytes)), dm)
		ADDQ(Imm(uint64(s.bytes)), dy)
		ADDQ(Imm(uint64(s.bytes)), sum)
	})
	s.end()
}

// passed sets v to the vector at dy where the vector at y is greater than zero, and to 0 elsewhere.
func (s *set) passed(v vec, dy, y Mem, zero, t vec) {
	const above = 0x1e // greater than, ordered, quiet
	if s.bytes == 64 {
		VMOVUPS(y, t)
		VCMPPS(Imm(above), zero, t, reg.K1)
		VMOVUPS_Z(dy, reg.K1, v)
		return
	}
	VMOVUPS(y, t)
	VCMPPS(Imm(above), zero, t, t)
	VANDPS(dy, t, v)
}
