package kernels

import (
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
