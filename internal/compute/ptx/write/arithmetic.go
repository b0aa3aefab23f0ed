package write

import "math"

// Thread returns the number of the thread in its group.
func (k *Kernel) Thread() U32 { return k.special("%tid.x") }

// Group returns the number of the group in the grid.
func (k *Kernel) Group() U32 { return k.special("%ctaid.x") }

// GroupY is Group in the grid's second direction.
func (k *Kernel) GroupY() U32 { return k.special("%ctaid.y") }

// Memory returns the address of the group's shared memory.
func (k *Kernel) Memory() U32 { return k.special("shared") }

func (k *Kernel) special(name string) U32 {
	d := k.NewU32()
	k.op("mov.u32 %s, %s", d, name)
	return d
}

// Copy returns a new register with the value a.
func (k *Kernel) Copy(a Operand) U32 {
	d := k.NewU32()
	k.Set(d, a)
	return d
}

// Set gives a register a value.
func (k *Kernel) Set(d U32, a Operand) { k.op("mov.b32 %s, %s", d, a.operand()) }

// Increase adds b to a register.
func (k *Kernel) Increase(d U32, b Operand) { k.op("add.u32 %s, %s, %s", d, d, b.operand()) }

func (k *Kernel) binary(name string, a U32, b Operand) U32 {
	d := k.NewU32()
	k.op("%s %s, %s, %s", name, d, a, b.operand())
	return d
}

// Add returns a+b.
func (k *Kernel) Add(a U32, b Operand) U32 { return k.binary("add.u32", a, b) }

// Sub returns a-b.
func (k *Kernel) Sub(a U32, b Operand) U32 { return k.binary("sub.u32", a, b) }

// Mul returns the low 32 bits of a*b.
func (k *Kernel) Mul(a U32, b Operand) U32 { return k.binary("mul.lo.u32", a, b) }

// Rem returns the rest of a/b.
func (k *Kernel) Rem(a U32, b Operand) U32 { return k.binary("rem.u32", a, b) }

// And returns the bits that are in a and in b.
func (k *Kernel) And(a U32, b Operand) U32 { return k.binary("and.b32", a, b) }

// Or returns the bits that are in a or in b.
func (k *Kernel) Or(a U32, b Operand) U32 { return k.binary("or.b32", a, b) }

// Flip changes the bits of a register that are in b.
func (k *Kernel) Flip(d U32, b Operand) { k.op("xor.b32 %s, %s, %s", d, d, b.operand()) }

// Left returns a shifted left by b bits.
func (k *Kernel) Left(a U32, b Operand) U32 { return k.binary("shl.b32", a, b) }

// Right returns a shifted right by b bits.
func (k *Kernel) Right(a U32, b Operand) U32 { return k.binary("shr.u32", a, b) }

// MulAdd returns the low 32 bits of a*b+c.
func (k *Kernel) MulAdd(a U32, b, c Operand) U32 {
	d := k.NewU32()
	k.op("mad.lo.u32 %s, %s, %s, %s", d, a, b.operand(), c.operand())
	return d
}

// Choose returns a where p holds, and b elsewhere.
func (k *Kernel) Choose(p Pred, a, b Operand) U32 {
	d := k.NewU32()
	k.op("selp.b32 %s, %s, %s, %s", d, a.operand(), b.operand(), p)
	return d
}

func (k *Kernel) compare(name string, a U32, b Operand) Pred {
	p := k.NewPred()
	k.op("setp.%s.u32 %s, %s, %s", name, p, a, b.operand())
	return p
}

// Equal reports whether a = b, of unsigned numbers like the other comparisons.
func (k *Kernel) Equal(a U32, b Operand) Pred { return k.compare("eq", a, b) }

// NotEqual reports whether a differs from b.
func (k *Kernel) NotEqual(a U32, b Operand) Pred { return k.compare("ne", a, b) }

// Less reports whether a < b.
func (k *Kernel) Less(a U32, b Operand) Pred { return k.compare("lt", a, b) }

// AtLeast reports whether a >= b.
func (k *Kernel) AtLeast(a U32, b Operand) Pred { return k.compare("ge", a, b) }

// Advance adds a*b bytes to an address.
func (k *Kernel) Advance(d U64, a U32, b Int) {
	k.op("mad.wide.u32 %s, %s, %d, %s", d, a, int(b), d)
}

// Beyond returns the address a*b bytes after an address.
func (k *Kernel) Beyond(address U64, a U32, b Int) U64 {
	d := k.NewU64()
	k.op("mad.wide.u32 %s, %s, %d, %s", d, a, int(b), address)
	return d
}

// SetAddress gives a register an address.
func (k *Kernel) SetAddress(d, a U64) { k.op("mov.b64 %s, %s", d, a) }

// Skip adds a number of bytes to an address.
func (k *Kernel) Skip(d U64, bytes Int) { k.op("add.u64 %s, %s, %d", d, d, int(bytes)) }

// descriptor joins the halves of a descriptor.
func (k *Kernel) descriptor(low U32, high Int) U64 {
	d, h := k.NewU64(), k.Copy(high)
	k.op("mov.b64 %s, {%s, %s}", d, low, h)
	return d
}

// Number32 returns the number in fp32 whose bits are a.
func (k *Kernel) Number32(a U32) F32 {
	d := k.NewF32()
	k.op("mov.b32 %s, %s", d, a)
	return d
}

// AddF returns a+b.
func (k *Kernel) AddF(a, b F32) F32 {
	d := k.NewF32()
	k.op("add.f32 %s, %s, %s", d, a, b)
	return d
}

// MulF returns a*b for a number b known when the kernel is written.
func (k *Kernel) MulF(a F32, b float32) F32 {
	d := k.NewF32()
	k.op("mul.f32 %s, %s, 0f%08X", d, a, math.Float32bits(b))
	return d
}

// Fuse adds a*b to a register, rounded once.
func (k *Kernel) Fuse(d, a, b F32) { k.op("fma.rn.f32 %s, %s, %s, %s", d, a, b, d) }

// Max returns the larger number, or one that is not a number if there is one.
func (k *Kernel) Max(a, b F32) F32 {
	d := k.NewF32()
	k.op("max.NaN.f32 %s, %s, %s", d, a, b)
	return d
}

// Relu returns a if it is above 0 or not a number, and 0 otherwise.
func (k *Kernel) Relu(a F32) F32 {
	d := k.NewF32()
	k.op("max.NaN.f32 %s, %s, 0f00000000", d, a)
	return d
}

// Halves rounds two numbers to fp16, the first to the low half of a register.
func (k *Kernel) Halves(d U32, low, high F32) { k.op("cvt.rn.f16x2.f32 %s, %s, %s", d, high, low) }

// Floats returns the two numbers in fp16 of a register.
func (k *Kernel) Floats(a U32) (low, high F32) {
	low, high = k.NewF32(), k.NewF32()
	k.op("mov.b32 {%%h0, %%h1}, %s", a)
	k.op("cvt.f32.f16 %s, %%h0", low)
	k.op("cvt.f32.f16 %s, %%h1", high)
	return low, high
}

// Exchange returns a of the lane whose number differs in the bits of mask. All lanes of the warp
// must take part.
func (k *Kernel) Exchange(a F32, mask Int) F32 {
	d := k.NewF32()
	k.op("shfl.sync.bfly.b32 %s, %s, %d, 31, -1", d, a, int(mask))
	return d
}

// SetF gives a register a value.
func (k *Kernel) SetF(d, a F32) { k.op("mov.f32 %s, %s", d, a) }

// Constants returns predicates that never and always hold.
func (k *Kernel) Constants() (never, always Pred) {
	zero := k.Copy(Int(0))
	return k.NotEqual(zero, zero), k.Equal(zero, zero)
}

// ZeroF gives a register the value 0.
func (k *Kernel) ZeroF(d F32) { k.op("mov.f32 %s, 0f00000000", d) }

// SetPredicate makes p hold where a is not 0.
func (k *Kernel) SetPredicate(p Pred, a U32) { k.op("setp.ne.u32 %s, %s, 0", p, a) }
