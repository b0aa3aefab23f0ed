package source

import (
	"warren/internal/compute/kernels/hopper"
	"warren/internal/compute/ptx/write"
)

// Position is a position whose planes a thread reads at a square: Planes masks of squares in 64 bits, then
// as many values in fp32.
type Position struct {
	kernel        *write.Kernel
	values, masks write.U64
	bit           write.U32
}

// PositionOf returns position number. Bit is that of the square in its half of a mask.
func PositionOf(k *write.Kernel, positions write.U64, number, square, bit write.U32) Position {
	values := k.Beyond(positions, number, hopper.Position)
	return Position{k, values, k.Beyond(values, k.Right(square, write.Int(5)), 4), bit}
}

// Octet returns eight planes from 8*octet, in fp16.
func (p Position) Octet(octet int) []write.U32 {
	k := p.kernel
	v, place := k.U32s(8), write.Int((hopper.Planes*2+octet*8)*4)
	k.Load16(v[:4], p.values, place)
	k.Load16(v[4:], p.values, place+16)
	for i := range v {
		mask := k.Load4(p.masks, write.Int((octet*8+i)*8))
		set := k.And(k.Right(mask, p.bit), write.Int(1))
		v[i] = k.Mul(v[i], set) // the bits of the value, or of 0
	}
	halves := k.U32s(4)
	for i := range halves {
		k.Halves(halves[i], k.Number32(v[2*i]), k.Number32(v[2*i+1]))
	}
	return halves
}
