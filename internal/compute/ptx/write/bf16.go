package write

// Numbers in bf16 are the upper halves of those in fp32.

// ToBF16 rounds two numbers to bf16, the first to the low half of a register.
func (k *Kernel) ToBF16(d U32, low, high F32) { k.op("cvt.rn.bf16x2.f32 %s, %s, %s", d, high, low) }

// FromBF16 returns the two numbers in bf16 of a register.
func (k *Kernel) FromBF16(a U32) (low, high F32) {
	return k.Number32(k.Left(a, Int(16))), k.Number32(k.And(a, Int(-1<<16)))
}

// Positive returns a register with all bits of a half set where that half of a, a number in bf16 that is
// not below zero, is not zero.
func (k *Kernel) Positive(a U32) U32 {
	d := k.NewU32()
	k.op("prmt.b32 %s, %s, 0, 0xbb99", d, k.Add(a, Int(0x7fff7fff))) // the signs of the halves
	return d
}

// MultiplyBF16 is Multiply in bf16.
func (k *Kernel) MultiplyBF16(d []F32, a, b Matrices, add Pred) {
	k.op("wgmma.mma_async.sync.aligned.m64n%dk16.f32.bf16.bf16 %s, %s, %s, %s, 1, 1, 0, 0",
		2*len(d), list(d), k.descriptor(a.Low, a.Rows), k.descriptor(b.Low, b.Rows), add)
}
