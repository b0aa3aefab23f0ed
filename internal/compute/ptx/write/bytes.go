package write

// MultiplyBytes is Multiply for 32 in depth, of whole numbers of 8 bits: a's have a sign, b's have none. A
// unit has 16 of them. The sums are whole numbers of 32 bits with a sign. The module must be
// for HopperBytes, the first version of PTX with operands of which one has a sign: the driver must be one for
// CUDA 12.4 (550) or later.
func (k *Kernel) MultiplyBytes(d []U32, a, b Matrices, add Pred) {
	k.op("wgmma.mma_async.sync.aligned.m64n%dk32.s32.s8.u8 %s, %s, %s, %s",
		2*len(d), list(d), k.descriptor(a.Low, a.Rows), k.descriptor(b.Low, b.Rows), add)
}

// Signed returns a whole number with a sign in fp32.
func (k *Kernel) Signed(a U32) F32 {
	return k.float("cvt.rn.f32.s32", string(a))
}

// Byte returns a register whose low byte is a, rounded to the nearest whole number from 0 to 255, and to
// even. The other bytes are undefined.
func (k *Kernel) Byte(a F32) U32 {
	d, f := k.NewU32(), k.NewF32()
	k.op("max.f32 %s, %s, 0f00000000", f, a)
	k.op("min.f32 %s, %s, %s", f, f, constant(255))
	k.op("add.f32 %s, %s, %s", f, f, constant(1<<23)) // whose last bit is worth 1
	k.op("mov.b32 %s, %s", d, f)
	return d
}

// JoinBytes joins the low bytes of four registers, the first to the lowest.
func (k *Kernel) JoinBytes(d U32, of [4]U32) {
	low, high := k.NewU32(), k.NewU32()
	k.op("prmt.b32 %s, %s, %s, 0x0040", low, of[0], of[1])
	k.op("prmt.b32 %s, %s, %s, 0x0040", high, of[2], of[3])
	k.op("prmt.b32 %s, %s, %s, 0x5410", d, low, high)
}

// Larger returns the larger of two numbers without a sign.
func (k *Kernel) Larger(a, b U32) U32 { return k.binary("max.u32", a, b) }

// TimesF returns a*b.
func (k *Kernel) TimesF(a, b F32) F32 {
	d := k.NewF32()
	k.op("mul.f32 %s, %s, %s", d, a, b)
	return d
}

// MulAddF returns a*b+c, rounded once.
func (k *Kernel) MulAddF(a, b, c F32) F32 {
	d := k.NewF32()
	k.op("fma.rn.f32 %s, %s, %s, %s", d, a, b, c)
	return d
}
