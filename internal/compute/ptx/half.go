package ptx

import (
	"math"
	"sync"
)

// halfTable has the value of every number in fp16.
var halfTable = sync.OnceValue(func() *[1 << 16]float32 {
	table := new([1 << 16]float32)
	for i := range table {
		exponent, fraction := i>>10&31, float64(i&1023)
		v := math.Ldexp(fraction, -24)
		switch {
		case exponent == 31 && fraction == 0:
			v = math.Inf(1)
		case exponent == 31:
			v = math.NaN()
		case exponent > 0:
			v = math.Ldexp(1024+fraction, exponent-25)
		}
		table[i] = float32(math.Copysign(v, float64(1-i>>15*2)))
	}
	return table
})

func fromHalf(h uint16) float32 { return halfTable()[h] }

// toHalf rounds to fp16, ties to even.
func toHalf(f float64) uint16 { return uint16(narrow(f, 10, 5, 0x7fff)) }

// toBF16 rounds to bf16, ties to even.
func toBF16(f float64) uint16 { return uint16(narrow(f, 7, 8, 0x7fff)) }

// narrow rounds f to a format with so many bits of fraction and exponent, ties to even, and returns its bits.
// nan is what PTX makes of a NaN in the format.
func narrow(f float64, fraction, exponent int, nan uint64) uint64 {
	if f != f {
		return nan
	}
	sign := math.Float64bits(f) >> 63 << (fraction + exponent)
	f = math.Abs(f)
	bias := 1<<(exponent-1) - 1
	infinity := uint64(1<<exponent-1) << fraction
	_, e := math.Frexp(f) // f < 2^e
	if f == 0 || e-1 > bias {
		if f == 0 {
			return sign
		}
		return sign | infinity
	}
	e = max(e-1, 1-bias) // the exponent of the leading bit, or of the subnormal numbers
	units := math.RoundToEven(math.Ldexp(f, fraction-e))
	// A carry out of the fraction raises the exponent, up to infinity.
	return sign | (uint64(e+bias-1)<<fraction + uint64(units))
}
