package cpu

import (
	"warren/internal/kernel"
	"warren/net"
)

// input is a batch of encoded positions, in one of two forms.
type input struct {
	numbers []float32 // [batch][64][NumPlanes]
	bits    []net.Bits
}

// from returns the positions from i on.
func (x input) from(i int) input {
	if x.bits != nil {
		return input{bits: x.bits[i:]}
	}
	return input{numbers: x.numbers[i*net.InputSize:]}
}

// board computes the first convolution of position i.
func (x input) board(p *kernel.Planes, i int, s *kernel.PlanesScratch) {
	if x.bits != nil {
		p.BitBoard(x.bits[i].Squares[:], x.bits[i].Values[:], s)
		return
	}
	p.Board(x.numbers[i*net.InputSize:], s)
}

// expanded returns the numbers of position i. They may be in the memory to.
func (x input) expanded(i int, to *[]float32) []float32 {
	if x.bits == nil {
		return x.numbers[i*net.InputSize:]
	}
	if *to == nil {
		*to = make([]float32, net.InputSize)
	}
	x.bits[i].Expand(*to)
	return *to
}
