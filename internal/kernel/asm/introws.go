package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// intPool takes the means and maxima of a board.
func (s *set) intPool() {
	s.text("Pool", "func(mean, most, x []int16, channels int)", "implements pool.")
	mean, most, x := pointer("mean"), pointer("most"), pointer("x")
	channels, row := integer("channels"), halfStride("channels")
	s.vectors(channels)
	sum, high, half, v := s.v[0], s.v[1], s.v[2], s.v[3]
	VPBROADCASTD(ConstData(s.name+"Half", U32(32)), half)
	loop("group", channels, func() {
		p := GP64()
		MOVQ(x, p)
		s.zero(sum)
		s.zero(high)
		loop("square", count(64), func() {
			VPMOVSXWD(Mem{Base: p}, v)
			VPADDD(v, sum, sum)
			VPMAXSD(v, high, high)
			ADDQ(row, p)
		})
		VPADDD(half, sum, sum)
		VPSRAD(Imm(6), sum, sum)
		s.pack(sum, Mem{Base: mean})
		s.pack(high, Mem{Base: most})
		ADDQ(Imm(uint64(s.bytes/2)), x)
		ADDQ(Imm(uint64(s.bytes/2)), mean)
		ADDQ(Imm(uint64(s.bytes/2)), most)
	})
	s.end()
}

// intNarrow rounds rows.
func (s *set) intNarrow() {
	s.text("Narrow", "func(y []int16, x, bias, scale []float32, rows int)", "implements narrow.")
	y, x, bias, scale, rows := pointer("y"), pointer("x"), pointer("bias"), pointer("scale"), integer("rows")
	SUBQ(scale, bias) // the distance
	vectors := GP64()
	Load(Param("scale").Len(), vectors)
	s.vectors(vectors)
	zero, top, v := s.v[0], s.v[1], s.v[2]
	s.zero(zero)
	s.fill(top, 32767)
	loop("row", rows, func() {
		sp, turns := GP64(), GP64()
		MOVQ(scale, sp)
		MOVQ(vectors, turns)
		loop("vector", turns, func() {
			VMOVUPS(Mem{Base: x}, v)
			VADDPS(Mem{Base: sp, Index: bias, Scale: 1}, v, v)
			VMULPS(Mem{Base: sp}, v, v)
			VMAXPS(zero, v, v)
			VMINPS(top, v, v)
			s.narrow(v, Mem{Base: y})
			ADDQ(Imm(uint64(s.bytes)), x)
			ADDQ(Imm(uint64(s.bytes)), sp)
			ADDQ(Imm(uint64(s.bytes/2)), y)
		})
	})
	s.end()
}
