package portable

import (
	"encoding/binary"
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

func TestLog(t *testing.T) {
	for x, want := range map[float64]float64{0: math.Inf(-1), 1: 0, math.Inf(1): math.Inf(1)} {
		if got := Log(x); got != want {
			t.Errorf("Log(%v) is %v, want %v", x, got, want)
		}
	}
	for _, x := range []float64{-1, math.NaN()} {
		if got := Log(x); !math.IsNaN(got) {
			t.Errorf("Log(%v) is %v", x, got)
		}
	}
	r := rand.New(rand.NewPCG(1, 1))
	for range 100000 {
		x := math.Ldexp(r.Float64(), r.IntN(2000)-1000)
		if got, want := Log(x), math.Log(x); math.Abs(got-want) > 5e-16*math.Abs(want) {
			t.Fatalf("Log(%v) is %v, want %v", x, got, want)
		}
	}
}

func TestPow(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 100000 {
		x, y := r.Float64(), r.Float64()*10
		if got, want := Pow(x, y), math.Pow(x, y); math.Abs(got-want) > 1e-13*want {
			t.Fatalf("Pow(%v, %v) is %v, want %v", x, y, got, want)
		}
	}
	for _, x := range []float64{0, 0.3, 1, 2} {
		for _, y := range []float64{0, 1, 3} {
			if got, want := Pow(x, y), math.Pow(x, y); math.Abs(got-want) > 1e-14*want {
				t.Errorf("Pow(%v, %v) is %v, want %v", x, y, got, want)
			}
		}
	}
}

// TestVariates compares the first four moments with those of the distributions.
func TestVariates(t *testing.T) {
	const n = 400_000
	for name, c := range map[string]struct {
		draw func(*rand.Rand) float64
		want [4]float64
	}{
		"Normal":      {Normal, [4]float64{0, 1, 0, 3}},
		"Exponential": {Exponential, [4]float64{1, 2, 6, 24}},
	} {
		r := rand.New(rand.NewPCG(1, 1))
		var got [4]float64
		for range n {
			x := c.draw(r)
			power := 1.0
			for i := range got {
				power *= x
				got[i] += power / n
			}
		}
		for i, want := range c.want {
			// The standard error of the fourth moment is about 0.02 and 0.3.
			if math.Abs(got[i]-want) > 0.01+0.04*want {
				t.Errorf("%s: moment %d is %v, want %v", name, i+1, got[i], want)
			}
		}
	}
}

// TestSameEverywhere hashes results. The hash must be this one on every processor.
func TestSameEverywhere(t *testing.T) {
	r, h := rand.New(rand.NewPCG(1, 2)), fnv.New64()
	for range 10000 {
		x := 40 * (r.Float64() - 0.5)
		for _, v := range []float64{Exp(x), Log(x * x), Pow(x*x, 0.7), Normal(r), Exponential(r)} {
			h.Write(binary.LittleEndian.AppendUint64(nil, math.Float64bits(v)))
		}
	}
	if got := h.Sum64(); got != 0xd33443d071e5ef49 {
		t.Errorf("the hash is %#x", got)
	}
}
