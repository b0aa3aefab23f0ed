package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

func (s *set) axpy(fused bool) {
	name := "Axpy"
	if !fused {
		name = "UnfusedAxpy"
	}
	s.text(name, "func(y, w []float32, v float32)", "implements axpy.")
	y, w := pointer("y"), pointer("w")
	n := Load(Param("y").Len(), GP64())
	VBROADCASTSS(NewParamAddr("v", 48), s.v[0])
	g := GP64()
	MOVQ(n, g)
	s.vectors(g)
	JZ(LabelRef("done"))
	loop("vector", g, func() {
		VMOVUPS(Mem{Base: y}, s.v[1])
		s.multiplyAdd(fused, Mem{Base: w}, s.v[0], s.v[1], s.v[2])
		VMOVUPS(s.v[1], Mem{Base: y})
		ADDQ(Imm(uint64(s.bytes)), y)
		ADDQ(Imm(uint64(s.bytes)), w)
	})
	Label("done")
	s.end()
}

func (s *set) scatter(fused bool) {
	name := "Scatter"
	if !fused {
		name = "UnfusedScatter"
	}
	s.text(name, "func(y, w []float32, at, from []int32, values []float32, out int)", "implements scatter.")
	at, from, values := pointer("at"), pointer("from"), pointer("values")
	n := Load(Param("values").Len(), GP64()).(reg.GPVirtual)
	vectors, rank := integer("out"), stride("out")
	s.vectors(vectors)
	IMUL3Q(I32(10), rank, rank)
	v, product := s.v[9], s.v[10]
	TESTQ(n, n)
	JZ(LabelRef("done"))
	loop("spot", n, func() {
		y, w, offset := pointer("y"), pointer("w"), GP64()
		MOVLQSX(Mem{Base: at}, offset)
		LEAQ(Mem{Base: y, Index: offset, Scale: 4}, y)
		MOVLQSX(Mem{Base: from}, offset)
		LEAQ(Mem{Base: w, Index: offset, Scale: 4}, w)
		VBROADCASTSS(Mem{Base: values}, v)
		row, turns := times(3, stride("out")), GP64()
		MOVQ(vectors, turns)
		loop("vector", turns, func() {
			at := func(base, stride reg.GPVirtual, i int) Mem {
				m := Mem{Base: base, Disp: i % 3 * s.bytes}
				if i >= 3 {
					m.Index, m.Scale = stride, uint8(i/3)
				}
				return m
			}
			for i := range 9 {
				VMOVUPS(at(y, rank, i), s.v[i])
				s.multiplyAdd(fused, at(w, row, i), v, s.v[i], product)
				VMOVUPS(s.v[i], at(y, rank, i))
			}
			ADDQ(Imm(uint64(3*s.bytes)), y)
			ADDQ(Imm(uint64(3*s.bytes)), w)
		})
		for _, p := range []reg.GPVirtual{at, from, values} {
			ADDQ(Imm(4), p)
		}
	})
	Label("done")
	s.end()
}

func (s *set) rectify() {
	s.text("Rectify", "func(y, bias []float32, rows int)", "implements rectify.")
	y, bias, rows := pointer("y"), pointer("bias"), integer("rows")
	n := Load(Param("bias").Len(), GP64())
	zero := s.v[0]
	s.zero(zero)
	g := GP64()
	MOVQ(n, g)
	s.vectors(g)
	loop("row", rows, func() {
		bp, turns := GP64(), GP64()
		MOVQ(bias, bp)
		MOVQ(g, turns)
		loop("vector", turns, func() {
			VMOVUPS(Mem{Base: y}, s.v[1])
			VADDPS(Mem{Base: bp}, s.v[1], s.v[1])
			VMAXPS(s.v[1], zero, s.v[1])
			VMOVUPS(s.v[1], Mem{Base: y})
			ADDQ(Imm(uint64(s.bytes)), y)
			ADDQ(Imm(uint64(s.bytes)), bp)
		})
	})
	s.end()
}

func (s *set) pool() {
	s.text("Pool", "func(mean, most, x []float32, channels, row int)", "implements pool.")
	mean, most, x := pointer("mean"), pointer("most"), pointer("x")
	channels, row := integer("channels"), stride("row")
	s.vectors(channels)
	sum, high, share := s.v[0], s.v[1], s.v[2]
	s.fill(share, 1./64)
	loop("group", channels, func() {
		p := GP64()
		MOVQ(x, p)
		VMOVUPS(Mem{Base: p}, sum)
		VMOVAPS(sum, high)
		loop("square", count(63), func() {
			ADDQ(row, p)
			VMOVUPS(Mem{Base: p}, s.v[3])
			VADDPS(s.v[3], sum, sum)
			VMAXPS(s.v[3], high, high)
		})
		VMULPS(share, sum, sum)
		VMOVUPS(sum, Mem{Base: mean})
		VMOVUPS(high, Mem{Base: most})
		ADDQ(Imm(uint64(s.bytes)), x)
		ADDQ(Imm(uint64(s.bytes)), mean)
		ADDQ(Imm(uint64(s.bytes)), most)
	})
	s.end()
}
