package eval

import (
	"hash/fnv"
	"math"
	"math/rand/v2"
	"testing"
)

func TestExp(t *testing.T) {
	for x, want := range map[float64]float64{0: 1, math.Inf(-1): 0, math.Inf(1): math.Inf(1), -1e9: 0, 1e9: math.Inf(1)} {
		if got := Exp(x); got != want {
			t.Errorf("Exp(%v) is %v, want %v", x, got, want)
		}
	}
	if got := Exp(math.NaN()); !math.IsNaN(got) {
		t.Errorf("of NaN it is %v", got)
	}
	r := rand.New(rand.NewPCG(1, 1))
	for range 100000 {
		x := r.Float64()*1400 - 700
		if got, want := Exp(x), math.Exp(x); math.Abs(got-want) > 5e-16*want {
			t.Fatalf("Exp(%v) is %v, want %v", x, got, want)
		}
	}
}

// TestExpIsTheSameEverywhere hashes results. The hash must be this one on every processor.
func TestExpIsTheSameEverywhere(t *testing.T) {
	r, h := rand.New(rand.NewPCG(1, 2)), fnv.New64()
	for range 10000 {
		bits := math.Float64bits(Exp(r.NormFloat64() * 10))
		h.Write([]byte{byte(bits), byte(bits >> 8), byte(bits >> 16), byte(bits >> 24), byte(bits >> 32), byte(bits >> 40), byte(bits >> 48), byte(bits >> 56)})
	}
	if got := h.Sum64(); got != 0x1c319c55849ef9b5 {
		t.Errorf("the hash is %#x", got)
	}
}
