package write

import (
	"fmt"
	"math"
)

// float returns a register with the result in fp32 of an instruction with one operand.
func (k *Kernel) float(name, a string) F32 {
	d := k.NewF32()
	k.op("%s %s, %s", name, d, a)
	return d
}

// Real returns a number in fp32.
func (k *Kernel) Real(a U32) F32 {
	return k.float("cvt.rn.f32.u32", string(a))
}

// Constant returns a register with a number.
func (k *Kernel) Constant(v float32) F32 {
	return k.float("mov.f32", constant(v))
}

func constant(v float32) string { return fmt.Sprintf("0f%08X", math.Float32bits(v)) }

// Same reports whether a = b.
func (k *Kernel) Same(a, b F32) Pred {
	p := k.NewPred()
	k.op("setp.eq.f32 %s, %s, %s", p, a, b)
	return p
}

// Is reports whether a is a number.
func (k *Kernel) Is(a F32, v float32) Pred { return k.Same(a, F32(constant(v))) }

// IncreaseF adds b to a register.
func (k *Kernel) IncreaseF(d, b F32) { k.op("add.f32 %s, %s, %s", d, d, b) }
