package kernels

import (
	"math"
	"testing"
)

// single is the number that an fp16 number is.
func single(h uint16) float64 {
	sign := 1.0
	if h>>15 != 0 {
		sign = -1
	}
	e, m := int(h>>10&31), float64(h&0x3ff)
	switch e {
	case 0:
		return sign * math.Ldexp(m, -24)
	case 31:
		if m != 0 {
			return math.NaN()
		}
		return math.Inf(int(sign))
	}
	return sign * math.Ldexp(1024+m, e-25)
}

// TestHalf rounds numbers on, between, just above and just below all fp16 numbers.
func TestHalf(t *testing.T) {
	for h := range uint16(0x7c00) {
		low := single(h)
		high := single(h + 1)
		if h == 0x7bff {
			high = 65536 // where the next one would be
		}
		between := float32((low + high) / 2)
		even := h + h&1
		for _, c := range []struct {
			v    float32
			want uint16
		}{
			{float32(low), h}, {between, even},
			{math.Nextafter32(between, 0), h}, {math.Nextafter32(between, 1e6), h + 1},
		} {
			if got := half(c.v); got != c.want {
				t.Fatalf("half(%v) is %#x, want %#x", c.v, got, c.want)
			}
			if got := half(-c.v); got != c.want|0x8000 {
				t.Fatalf("half(-%v) is %#x, want %#x", c.v, got, c.want|0x8000)
			}
		}
	}
	if half(float32(math.Inf(1))) != 0x7c00 || half(1e30) != 0x7c00 || !math.IsNaN(single(half(float32(math.NaN())))) {
		t.Error("infinities or what is not a number go wrong")
	}
}
