package ptx

import "math"

// typ is a type of an instruction.
type typ int

const (
	pred typ = iota
	b8
	b16
	b32
	b64
	b128
	u8
	u16
	u32
	u64
	s8
	s16
	s32
	s64
	f16
	bf16
	f16x2
	bf16x2
	f32
)

var types = map[string]typ{
	"pred": pred, "b8": b8, "b16": b16, "b32": b32, "b64": b64, "b128": b128,
	"u8": u8, "u16": u16, "u32": u32, "u64": u64, "s8": s8, "s16": s16, "s32": s32, "s64": s64,
	"f16": f16, "bf16": bf16, "f16x2": f16x2, "bf16x2": bf16x2, "f32": f32,
}

func typeOf(s string) (typ, bool) {
	t, ok := types[s]
	return t, ok
}

func (t typ) bytes() int {
	switch t {
	case b8, u8, s8:
		return 1
	case b16, u16, s16, f16, bf16:
		return 2
	case b64, u64, s64:
		return 8
	case b128:
		return 16
	}
	return 4
}

func (t typ) signed() bool { return t >= s8 && t <= s64 }
func (t typ) float() bool  { return t >= f16 }

// extend returns the value of a number of type t in the low bits of v, as 64 bits.
func (t typ) extend(v uint64) uint64 {
	unused := 64 - 8*t.bytes()
	if t.signed() {
		return uint64(int64(v<<unused) >> unused)
	}
	return v << unused >> unused
}

// cut keeps the bits of type t, as a register holds them.
func (t typ) cut(v uint64) uint64 {
	unused := 64 - 8*t.bytes()
	return v << unused >> unused
}

// value returns a floating-point number of type t in the low bits of v.
func (t typ) value(v uint64) float64 {
	switch t {
	case f16:
		return float64(fromHalf(uint16(v)))
	case bf16:
		return float64(math.Float32frombits(uint32(v) << 16))
	}
	return float64(math.Float32frombits(uint32(v)))
}

// store returns the bits of f, rounded to type t.
func (t typ) store(f float64) uint64 {
	switch t {
	case f16:
		return uint64(toHalf(f))
	case bf16:
		return uint64(toBF16(f))
	}
	return uint64(single(float32(f)))
}

// single returns the bits of f. Operations of PTX give this one NaN.
func single(f float32) uint32 {
	if f != f {
		return 0x7fffffff
	}
	return math.Float32bits(f)
}
