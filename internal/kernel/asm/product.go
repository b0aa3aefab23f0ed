package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// product multiplies blocks of 4 rows by a panel of n vectors. The sums of a block stay in
// registers. For a narrow panel, 4 rows have too few sums to hide the latency of the multiply-add,
// so product takes two blocks at a time.
func (s *set) product(n int, fused bool) {
	name := "Product"
	if !fused {
		name = "UnfusedProduct"
	}
	s.text(fmt.Sprint(name, n), "func(c, a, b []float32, k, blocks, aBlock, cBlock, cRow int)",
		fmt.Sprintf("implements product for a panel of %d vectors.", n))
	a, c, blocks := pointer("a"), pointer("c"), integer("blocks")
	advance := func(n uint8) {
		LEAQ(Mem{Base: a, Index: stride("aBlock"), Scale: n}, a)
		LEAQ(Mem{Base: c, Index: stride("cBlock"), Scale: n}, c)
		SUBQ(Imm(uint64(n)), blocks)
	}

	pairs := n <= len(s.v)/16 // a pair has 8n sums
	if pairs {
		Label("pair")
		CMPQ(blocks, Imm(2))
		JLT(LabelRef("last"))
		s.block(n, 2, fused, a, c)
		advance(2)
		JMP(LabelRef("pair"))
		Label("last")
	}
	Label("one")
	TESTQ(blocks, blocks)
	JZ(LabelRef("done"))
	s.block(n, 1, fused, a, c)
	advance(1)
	JMP(LabelRef("one"))
	Label("done")
	s.end()
}

// block multiplies one or two blocks of rows.
func (s *set) block(n, blocks int, fused bool, a, c reg.GPVirtual) {
	label := fmt.Sprintf("rows%d", 4*blocks)
	rows := 4 * blocks
	sum := func(r, j int) reg.VecPhysical { return s.v[r*n+j] }
	right := func(j int) reg.VecPhysical { return s.v[rows*n+j] }
	x := s.v[rows*n+n]
	var spare vec
	if !fused {
		spare = s.v[rows*n+n+1]
	}
	for i := range rows * n {
		s.zero(s.v[i])
	}
	lda := stride("k")
	left := make([]*lines, blocks)
	for i := range left {
		at := a
		if i > 0 {
			at = GP64()
			LEAQ(Mem{Base: a, Index: stride("aBlock"), Scale: 1}, at)
		}
		left[i] = newLines(at, lda, 4)
	}
	bp, turns := pointer("b"), integer("k")
	step := func(disp int) {
		for j := range n {
			VMOVUPS(Mem{Base: bp, Disp: (disp*n + j) * s.bytes}, right(j))
		}
		for r := range rows {
			VBROADCASTSS(left[r/4].at(r%4).Offset(4*disp), x)
			for j := range n {
				s.multiplyAdd(fused, right(j), x, sum(r, j), spare)
			}
		}
	}
	advance := func(by int) {
		for _, l := range left {
			l.advance(Imm(uint64(4 * by)))
		}
		ADDQ(I32(by*n*s.bytes), bp)
	}
	SHRQ(Imm(2), turns)
	JZ(LabelRef(label + "rest"))
	loop(label+"four", turns, func() {
		for i := range 4 {
			step(i)
		}
		advance(4)
	})
	Label(label + "rest")
	turns = integer("k")
	ANDQ(Imm(3), turns)
	JZ(LabelRef(label + "store"))
	loop(label+"single", turns, func() {
		step(0)
		advance(1)
	})
	Label(label + "store")
	for i := range blocks {
		at := c
		if i > 0 {
			at = GP64()
			LEAQ(Mem{Base: c, Index: stride("cBlock"), Scale: 1}, at)
		}
		out := newLines(at, stride("cRow"), 4)
		for r := range 4 {
			for j := range n {
				VMOVUPS(sum(4*i+r, j), out.at(r).Offset(j*s.bytes))
			}
		}
	}
}

// multiplyAdd adds the product of x and y to sum, with one rounding if fused and else with two.
func (s *set) multiplyAdd(fused bool, y Op, x, sum, spare vec) {
	if fused {
		VFMADD231PS(y, x, sum)
	} else {
		VMULPS(y, x, spare)
		VADDPS(spare, sum, sum)
	}
}

// outer adds the outer products of the rows of a and b to a panel of n vectors, four rows of the
// panel at a time.
func (s *set) outer(n int) {
	s.text(fmt.Sprintf("Outer%d", n), "func(c, a, b []float32, rows, blocks, aBlock, bBlock, aRow, bRow, cRow int)",
		fmt.Sprintf("implements outer for a panel of %d vectors.", n))
	a, c, rows := pointer("a"), pointer("c"), integer("rows")
	aRow, bRow, cRow := stride("aRow"), stride("bRow"), stride("cRow")
	SHRQ(Imm(2), rows)
	sum := func(r, j int) reg.VecPhysical { return s.v[r*n+j] }
	right := func(j int) reg.VecPhysical { return s.v[4*n+j] }
	x := s.v[5*n]

	loop("rows", rows, func() {
		out := newLines(c, cRow, 4)
		for r := range 4 {
			for j := range n {
				VMOVUPS(out.at(r).Offset(j*s.bytes), sum(r, j))
			}
		}
		ap, bp, turns := GP64(), pointer("b"), integer("blocks")
		MOVQ(a, ap)
		aBlock, bBlock := stride("aBlock"), stride("bBlock")
		loop("blocks", turns, func() {
			at, bt := GP64(), GP64()
			MOVQ(ap, at)
			MOVQ(bp, bt)
			for t := range 4 {
				for j := range n {
					VMOVUPS(Mem{Base: bt, Disp: j * s.bytes}, right(j))
				}
				for r := range 4 {
					VBROADCASTSS(Mem{Base: at, Disp: 4 * r}, x)
					for j := range n {
						VFMADD231PS(right(j), x, sum(r, j))
					}
				}
				if t < 3 {
					ADDQ(aRow, at)
					ADDQ(bRow, bt)
				}
			}
			ADDQ(aBlock, ap)
			ADDQ(bBlock, bp)
		})
		out = newLines(c, cRow, 4)
		for r := range 4 {
			for j := range n {
				VMOVUPS(sum(r, j), out.at(r).Offset(j*s.bytes))
			}
		}
		ADDQ(Imm(16), a)
		LEAQ(Mem{Base: c, Index: cRow, Scale: 4}, c)
	})
	s.end()
}
