package hopper

import (
	"math/big"
	"math/rand/v2"
	"testing"
)

// TestFuse compares sums of products with exact arithmetic, where rounding twice is often wrong.
func TestFuse(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	twice := 0
	for range 10_000 {
		// The product is nearly 1, half of what the sum is rounded to.
		little := float32(r.IntN(360)) / (1 << 23)
		a, b, c := 1+little, 1-little, float32(1<<24+2*r.IntN(1<<22))
		if r.IntN(2) == 0 {
			a = -a
		}
		exact := func(v float32) *big.Float { return new(big.Float).SetPrec(200).SetFloat64(float64(v)) }
		sum := exact(a)
		sum.Mul(sum, exact(b)).Add(sum, exact(c))
		want, _ := sum.Float32()
		if got := fuse(a, b, c); got != want {
			t.Fatalf("%v * %v + %v = %v, want %v", a, b, c, got, want)
		}
		if float32(float64(a)*float64(b)+float64(c)) != want {
			twice++
		}
	}
	if twice < 1000 {
		t.Errorf("rounding twice would be wrong in %d cases alone", twice)
	}
}
