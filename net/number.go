package net

import (
	"encoding/binary"
	"fmt"
	"hash"
	"io"
	"math"
)

// number is a number format that a file may use.
type number struct {
	width int // bytes of a number
	read  func([]byte) float32
}

// numbers are the supported number formats by their names in the header.
var numbers = map[string]number{
	"F32":  {4, func(b []byte) float32 { return math.Float32frombits(binary.LittleEndian.Uint32(b)) }},
	"F64":  {8, func(b []byte) float32 { return float32(math.Float64frombits(binary.LittleEndian.Uint64(b))) }},
	"F16":  {2, func(b []byte) float32 { return half(binary.LittleEndian.Uint16(b)) }},
	"BF16": {2, func(b []byte) float32 { return math.Float32frombits(uint32(binary.LittleEndian.Uint16(b)) << 16) }},
}

// half returns the value of an IEEE 754 binary16 number, which has one bit of sign, 5 bits
// of exponent with a bias of 15, and 10 bits of fraction.
func half(b uint16) float32 {
	sign, exponent, fraction := uint32(b>>15)<<31, b>>10&31, uint32(b&1023)
	switch exponent {
	case 0:
		v := float32(fraction) * 0x1p-24
		return math.Float32frombits(math.Float32bits(v) | sign)
	case 31:
		return math.Float32frombits(sign | 255<<23 | fraction<<13)
	}
	return math.Float32frombits(sign | (uint32(exponent)+127-15)<<23 | fraction<<13)
}

func finite(x float32) bool { return x-x == 0 }

// stored is a tensor and its number format in a file.
type stored struct {
	Tensor
	number number
}

// read reads the numbers of the tensor from r, through buf, and adds the bytes to digest. Numbers
// must be finite: one that is not makes every evaluation and every later weight NaN.
func (t *stored) read(r io.Reader, digest hash.Hash, buf []byte) error {
	for x := t.Data; len(x) > 0; {
		n := min(len(x), len(buf)/t.number.width)
		b := buf[:n*t.number.width]
		if _, err := io.ReadFull(r, b); err != nil {
			return err
		}
		digest.Write(b)
		for i := range n {
			at := b[i*t.number.width:]
			x[i] = t.number.read(at)
			if !finite(x[i]) {
				v := float64(x[i])
				if t.number.width == 8 {
					v = math.Float64frombits(binary.LittleEndian.Uint64(at))
				}
				return fmt.Errorf("the number %g is not finite, or too large for float32", v)
			}
		}
		x = x[n:]
	}
	return nil
}
