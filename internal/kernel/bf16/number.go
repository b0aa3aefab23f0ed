package bf16

import "math"

// Round returns the upper half of f, rounded to nearest, ties to even. Like the processor,
// it takes numbers below the normal range for zero.
func Round(f float32) uint16 {
	b := math.Float32bits(f)
	switch exponent := b & 0x7f800000; {
	case exponent == 0:
		return uint16(b>>16) & 0x8000
	case exponent == 0x7f800000 && b&0x7fffff != 0:
		return uint16(b>>16) | 0x40
	}
	return uint16((b + 0x7fff + b>>16&1) >> 16)
}

// Float returns the number h.
func Float(h uint16) float32 { return math.Float32frombits(uint32(h) << 16) }

// flush returns f, or zero for a number below the normal range.
func flush(f float32) float32 {
	if b := math.Float32bits(f); b&0x7f800000 == 0 {
		return math.Float32frombits(b & 0x80000000)
	}
	return f
}
