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
		s.halves(v, square, stride("point"), func(points [2]*lines, tp reg.GPVirtual) {
			eight(func(i int) Mem { return Mem{Base: tp, Disp: i * s.bytes} },
				func(tile, i int, v vec) { VMOVUPS(v, points[tile].at(i)) })
		})
		ADDQ(Imm(uint64(s.bytes)), x)
		ADDQ(Imm(uint64(s.bytes)), v)
	})
	s.end()
}

// halves emits loops over the twelve half-transformed lines of a board, at tp. The argument points of body
// addresses the six points of each of the two tiles of a line in the tensor at v.
func (s *set) halves(v, square, point reg.GPVirtual, body func(points [2]*lines, tp reg.GPVirtual)) {
	tp, vp := pointer("line"), GP64()
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

// gather applies the transpose of A of F(4,3), which transforms the six numbers q to four. All of
// q change, as does t, and the results are in four of these registers.
func gather(q [6]vec, t, c2, c4, c8 vec) [4]vec {
	a, b, c, e := q[1], t, q[3], q[2]
	VSUBPS(q[2], q[1], b)
	VADDPS(q[2], q[1], a)
	VSUBPS(q[4], q[3], e)
	VADDPS(q[4], q[3], c)
	VADDPS(a, q[0], q[0])
	VADDPS(c, q[0], q[0])
	VADDPS(b, q[5], q[5])
	VFMADD231PS(e, c8, q[5])
	VFMADD231PS(e, c2, b)
	VFMADD231PS(c, c4, a)
	return [4]vec{q[0], b, a, q[5]}
}

// square is the transform of the products of a tile to its squares, in registers and memory that
// the constants do not take.
type square struct {
	set        *set
	free       []vec
	c2, c4, c8 vec
}

// newSquare returns a transform that leaves out the first two registers.
func (s *set) newSquare() *square {
	q := &square{s, s.v[5:], s.v[2], s.v[3], s.v[4]}
	s.fill(q.c2, 2)
	s.fill(q.c4, 4)
	s.fill(q.c8, 8)
	return q
}

// take returns a register that is not in use.
func (q *square) take() vec {
	v := q.free[0]
	q.free = q.free[1:]
	return v
}

// gather transforms six numbers, each in a register or in memory, and takes the registers of its
// results.
func (q *square) gather(from func(i int) Op) [4]vec {
	var in [6]vec
	for i := range in {
		op := from(i)
		v, ok := op.(vec)
		if !ok {
			v = q.take()
			VMOVUPS(op, v)
		}
		in[i] = v
	}
	t := q.take()
	out := gather(in, t, q.c2, q.c4, q.c8)
	q.free = append(q.free, in[2], in[3], in[4])
	return out
}

// tile transforms the 36 products of a tile, the first of which is at mp, to four ranks of four squares, and
// calls finish for each rank. Meanwhile it keeps the transformed columns in registers, or if there are
// too few, in the memory line.
func (q *square) tile(mp reg.GPVirtual, finish func(r int, squares [4]vec)) {
	point, all := stride("point"), q.free
	products := newLines(mp, times(6, point), 6)
	spill := len(all) < 27
	var tmp reg.GPVirtual
	if spill {
		tmp = pointer("line")
	}
	var columns [6][4]Op
	for j := range columns {
		for r, v := range q.gather(func(i int) Op { return products.at(i) }) {
			columns[j][r] = v
			if j < 5 && spill {
				columns[j][r] = Mem{Base: tmp, Disp: (r*6 + j) * q.set.bytes}
				VMOVUPS(v, columns[j][r])
				q.free = append(q.free, v)
			}
		}
		if j < 5 {
			products.advance(point)
		}
	}
	for r := range 4 {
		squares := q.gather(func(i int) Op { return columns[i][r] })
		finish(r, squares)
		q.free = append(q.free, squares[:]...)
	}
	q.free = all
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
	channels, side := integer("channels"), stride("channels")
	s.vectors(channels)
	zero, add, q := s.v[0], s.v[1], s.newSquare()
	s.zero(zero)
	loop("group", channels, func() {
		VMOVUPS(Mem{Base: bias}, add)
		mp, yp := GP64(), GP64()
		MOVQ(m, mp)
		MOVQ(y, yp)
		tiles(side, mp, yp, func() {
			line := GP64()
			MOVQ(yp, line)
			q.tile(mp, func(r int, squares [4]vec) {
				at := GP64()
				MOVQ(line, at)
				for _, v := range squares {
					VADDPS(add, v, v)
					if residual {
						VADDPS(Mem{Base: at, Index: distance, Scale: 1}, v, v)
					}
					VMAXPS(v, zero, v) // in this order a NaN stays a NaN
					VMOVUPS(v, Mem{Base: at})
					ADDQ(side, at)
				}
				if r < 3 {
					LEAQ(Mem{Base: line, Index: side, Scale: 8}, line)
				}
			})
		})
		ADDQ(Imm(uint64(s.bytes)), m)
		ADDQ(Imm(uint64(s.bytes)), y)
		ADDQ(Imm(uint64(s.bytes)), bias)
	})
	s.end()
}
