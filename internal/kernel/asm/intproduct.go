package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// integers generates the routines of package quant, which compute in whole numbers of 16 bits. Their
// plain Go twins in ../quant/twin.go specify what each routine computes, to the bit.
func (s *set) integers() {
	s.constants = make(map[float32]Mem)
	if s.bytes == 32 {
		// Widths are multiples of 16, and 3 vectors would need more registers, so all panels have 2.
		s.intProducts("Products", 2, addProducts)
	} else {
		for n := 1; n <= s.widest; n++ {
			s.intProduct("Product", n, addProducts)
			s.intProduct("Dot", n, s.addDots)
		}
	}
	s.intInput()
	s.intOutput(false)
	s.intOutput(true)
	s.intPool()
	s.intNarrow()
}

// adder adds to the sums of each vector the products of two pairs of numbers, those of x with those of y. It
// sets the sums to the first ones. The registers spare are one for each sum.
type adder func(x vec, y, sum, spare []vec, first bool)

func (s *set) addDots(x vec, y, sum, _ []vec, first bool) {
	for j := range sum {
		if first {
			s.zero(sum[j])
		}
		VPDPWSSD(y[j], x, sum[j])
	}
}

// addProducts multiplies for all sums before it adds, which is 5% faster on Zen 4.
func addProducts(x vec, y, sum, spare []vec, first bool) {
	products := spare
	if first {
		products = sum
	}
	for j := range sum {
		VPMADDWD(y[j], x, products[j])
	}
	if first {
		return
	}
	for j := range sum {
		VPADDD(products[j], sum[j], sum[j])
	}
}

// halfStride loads a parameter that is a number of int16 elements, and converts it to bytes.
func halfStride(name string) reg.GPVirtual {
	g := integer(name)
	SHLQ(Imm(1), g)
	return g
}

// intProduct multiplies blocks of 4 rows by a panel of n vectors, as product does. The function add
// multiplies pairs of numbers and adds the products to a vector of sums.
func (s *set) intProduct(name string, n int, add adder) {
	s.text(fmt.Sprint(name, n), "func(c []float32, a, b []int16, scale []float32, k, blocks, aBlock, cBlock, cRow int)",
		fmt.Sprintf("implements product for a panel of %d vectors.", n))
	parameter := func(name string) func() reg.GPVirtual {
		return func() reg.GPVirtual { return pointer(name) }
	}
	s.intBlocks(intPanel{n, parameter("c"), parameter("b"), parameter("scale")}, "done", add)
	Label("done")
	s.end()
}

// intProducts is like intProduct, but for any number of panels of n vectors. They follow one another.
func (s *set) intProducts(name string, n int, add adder) {
	s.text(name, "func(c []float32, a, b []int16, scale []float32, panels, k, blocks, aBlock, cBlock, cRow int)",
		fmt.Sprintf("implements product for panels of %d vectors.", n))
	panels, c, b, scale := integer("panels"), pointer("c"), pointer("b"), pointer("scale")
	next := GP64()
	copied := func(from, to reg.GPVirtual) reg.GPVirtual {
		MOVQ(from, to)
		return to
	}
	p := intPanel{
		n,
		func() reg.GPVirtual { return copied(c, GP64()) },
		func() reg.GPVirtual { return copied(b, next) }, // which a block advances to the next panel's weights
		func() reg.GPVirtual { return scale },
	}
	Label("panel")
	TESTQ(panels, panels)
	JZ(LabelRef("done"))
	s.intBlocks(p, "end", add)
	Label("end")
	MOVQ(next, b)
	ADDQ(I32(n*s.bytes), c)
	ADDQ(I32(n*s.bytes), scale)
	DECQ(panels)
	JMP(LabelRef("panel"))
	Label("done")
	s.end()
}

// intPanel is a panel of n vectors. The functions return registers with the addresses of its columns of
// the product, its weights and their scale; a block of rows changes the first two.
type intPanel struct {
	n           int
	c, b, scale func() reg.GPVirtual
}

// intBlocks multiplies all blocks of rows, and jumps to the label end.
func (s *set) intBlocks(p intPanel, end string, add adder) {
	a, c, blocks := pointer("a"), p.c(), integer("blocks")
	next := func(turns int) {
		LEAQ(Mem{Base: a, Index: halfStride("aBlock"), Scale: uint8(turns)}, a)
		LEAQ(Mem{Base: c, Index: stride("cBlock"), Scale: uint8(turns)}, c)
		SUBQ(Imm(uint64(turns)), blocks)
	}
	if p.n <= len(s.v)/16 { // a pair of blocks has 8n sums
		Label("pair")
		CMPQ(blocks, Imm(2))
		JLT(LabelRef("last"))
		s.intBlock(p, 2, a, c, add)
		next(2)
		JMP(LabelRef("pair"))
		Label("last")
	}
	Label("one")
	TESTQ(blocks, blocks)
	JZ(LabelRef(end))
	s.intBlock(p, 1, a, c, add)
	next(1)
	JMP(LabelRef("one"))
}

// intBlock multiplies one or two blocks of rows.
func (s *set) intBlock(p intPanel, blocks int, a, c reg.GPVirtual, add adder) {
	n, rows := p.n, 4*blocks
	sums := func(r int) []vec { return s.v[r*n:][:n] }
	right, x, spare := s.v[rows*n:][:n], s.v[rows*n+n], s.v[rows*n+n+1:]
	row := halfStride("k")
	left := make([]*lines, blocks)
	for i := range left {
		at := a
		if i > 0 {
			at = GP64()
			LEAQ(Mem{Base: a, Index: halfStride("aBlock"), Scale: 1}, at)
		}
		left[i] = newLines(at, row, 4)
	}
	const unrolled = 4 // pairs; k is a multiple of 16, so there are two turns at least
	bp, turns := p.b(), integer("k")
	SHRQ(Imm(3), turns)
	turn := func(first bool) {
		for pair := range unrolled {
			for j := range n {
				s.load(Mem{Base: bp, Disp: (pair*n + j) * s.bytes}, right[j])
			}
			for r := range rows {
				VPBROADCASTD(left[r/4].at(r%4).Offset(4*pair), x)
				add(x, right, sums(r), spare, first && pair == 0)
			}
		}
		for _, l := range left {
			l.advance(Imm(4 * unrolled))
		}
		ADDQ(I32(unrolled*n*s.bytes), bp)
	}
	turn(true)
	DECQ(turns)
	loop(fmt.Sprintf("rows%d", rows), turns, func() { turn(false) })
	scale := p.scale()
	for j := range n {
		VMOVUPS(Mem{Base: scale, Disp: j * s.bytes}, right[j])
	}
	for i := range blocks {
		at := c
		if i > 0 {
			at = GP64()
			LEAQ(Mem{Base: c, Index: stride("cBlock"), Scale: 1}, at)
		}
		out := newLines(at, stride("cRow"), 4)
		for r := range 4 {
			for j, v := range sums(4*i + r) {
				VCVTDQ2PS(v, v)
				VMULPS(right[j], v, v)
				VMOVUPS(v, out.at(r).Offset(j*s.bytes))
			}
		}
	}
}

// load loads a vector of whole numbers.
func (s *set) load(m Mem, v vec) {
	if s.bytes == 64 {
		VMOVDQU32(m, v)
	} else {
		VMOVDQU(m, v)
	}
}
