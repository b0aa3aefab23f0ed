package kernels

import (
	"encoding/binary"
	"math"
	"unsafe"
)

// halves rounds numbers to fp16 (IEEE 754 binary16), to the nearest and to even. Numbers that are
// too large become infinite.
func halves(v []float32) []uint16 {
	h := make([]uint16, len(v))
	for i, f := range v {
		h[i] = half(f)
	}
	return h
}

func half(f float32) uint16 {
	b := math.Float32bits(f)
	sign, abs := uint16(b>>16&0x8000), b&0x7fffffff
	switch {
	case abs > 0x7f800000: // not a number
		return sign | 0x7e00
	case abs >= 0x477ff000: // rounds to 65536 or more
		return sign | 0x7c00
	case abs < 0x38800000: // below the normal range: multiples of 2^-24
		return sign | uint16(math.RoundToEven(float64(math.Float32frombits(abs))*(1<<24)))
	}
	abs -= (127 - 15) << 23
	return sign | uint16((abs+0xfff+abs>>13&1)>>13)
}

// bytesOf returns the memory of numbers.
func bytesOf[T uint16 | uint32 | float32](v []T) []byte {
	if len(v) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&v[0])), len(v)*int(unsafe.Sizeof(v[0])))
}

// Floats returns numbers of 32 bits as the device reads them.
func Floats(v []float32) []byte { return bytesOf(v) }

// FromHalves returns numbers in fp16, as Form.Store stores them.
func FromHalves(b []byte) []float32 {
	v := make([]float32, len(b)/2)
	for i := range v {
		h := binary.LittleEndian.Uint16(b[2*i:])
		sign, exponent, fraction := 1-2*float64(h>>15), int(h>>10&31), float64(h&1023)
		switch exponent {
		case 0:
			v[i] = float32(sign * math.Ldexp(fraction, -24))
		case 31:
			v[i] = float32(sign * math.Inf(1))
			if fraction != 0 {
				v[i] = float32(math.NaN())
			}
		default:
			v[i] = float32(sign * math.Ldexp(1024+fraction, exponent-25))
		}
	}
	return v
}
