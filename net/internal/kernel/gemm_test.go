package kernel

import (
	"fmt"
	"math"
	"slices"
	"testing"
)

func TestProduct(t *testing.T) {
	for _, s := range []struct{ k, n int }{{1, 1}, {3, 2}, {4, 3}, {7, 5}, {8, 8}, {64, 41}, {513, 7}} {
		t.Run(fmt.Sprint(s), func(t *testing.T) {
			x, w := noise(1, 4*s.k, 1), noise(2, s.k*s.n, 1)
			a, c := make([]float32, 4*s.k), make([]float32, 4*(s.n+s.n%2))
			PackRows(a, x, s.k)
			Product(c, a, PackColumns(w, s.k, s.n), s.k, s.n)
			for j := range s.n {
				for i := range 4 {
					want := 0.0
					for l := range s.k {
						want += float64(x[i*s.k+l]) * float64(w[l*s.n+j])
					}
					if got := float64(c[4*j+i]); math.Abs(got-want) > 1e-6*float64(s.k+10) {
						t.Fatalf("row %d, column %d: got %v, want %v", i, j, got, want)
					}
				}
			}
		})
	}
}

func TestPlanes(t *testing.T) {
	const boards, in, out = 3, 70, 6 // more planes than are looked at for being constant
	w, bias := noise(2, 9*in*out, 0.3), noise(3, out, 0.3)
	inputs := map[string][]float32{"dense": noise(1, boards*64*in, 1)}
	sparse := make([]float32, boards*64*in)
	for i := range sparse {
		switch plane, square := i%in, i/in%64; {
		case plane%10 == 3:
			sparse[i] = float32(plane) / 70 // constant
		case plane%10 == 4 && square != 63:
			sparse[i] = 1 // constant but for the last square
		case i%31 == 0:
			sparse[i] = 1
		}
	}
	inputs["sparse"] = sparse
	for name, x := range inputs {
		want := direct(x, w, bias, nil, in, out, 0)
		y := noise(5, boards*64*out, 1) // to be overwritten
		scratch := make([]float32, 9*out)
		p := NewPlanes(w, bias, in, out)
		p.Forward(y, x, boards, scratch)
		for i := range y {
			if math.Abs(float64(y[i])-want[i]) > 1e-4 {
				t.Fatalf("%s: element %d is %v, want %v", name, i, y[i], want[i])
			}
		}
		alone := make([]float32, 64*out)
		p.Forward(alone, x[2*64*in:], 1, scratch)
		if !slices.Equal(alone, y[2*64*out:]) {
			t.Errorf("%s: a board alone differs from the same board in a batch", name)
		}
	}
}

func BenchmarkPlanes(b *testing.B) {
	const in, out = 40, 64
	p := NewPlanes(noise(1, 9*in*out, 1), make([]float32, out), in, out)
	x, y, scratch := make([]float32, 64*in), make([]float32, 64*out), make([]float32, 9*out)
	for s := range 64 {
		x[s*in] = 1
		x[s*in+1] = 1
		if s%2 == 0 {
			x[s*in+2+s/6] = 1
		}
	}
	for b.Loop() {
		p.Forward(y, x, 1, scratch)
	}
}
