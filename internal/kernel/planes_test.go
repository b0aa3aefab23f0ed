package kernel

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// somePlanes returns planes of all kinds, and the same in numbers, [64][in].
func somePlanes(seed uint64, in int) (squares []uint64, values, x []float32) {
	r := rand.New(rand.NewPCG(seed, 2))
	squares, values, x = make([]uint64, in), noise(seed, in, 1), make([]float32, 64*in)
	for i := range in {
		switch r.IntN(4) {
		case 0:
			squares[i] = ^uint64(0)
		case 1:
			squares[i] = ^uint64(0) >> 1 // constant except on the last square
		case 2:
			squares[i] = r.Uint64() & r.Uint64() & r.Uint64()
		}
		if r.IntN(4) == 0 {
			values[i] = float32(r.IntN(2))
		}
		for square := range 64 {
			if squares[i]>>square&1 == 1 {
				x[square*in+i] = values[i]
			}
		}
	}
	return squares, values, x
}

func TestPlanes(t *testing.T) {
	const in, out = 64, 24
	w, bias := noise(2, 9*in*out, 0.3), noise(3, out, 0.3)
	for _, path := range Paths() {
		for _, path := range []*Path{path, path.Unfused()} {
			p, used := NewPlanes(path, w, bias, in, out), new(PlanesScratch)
			for seed := range uint64(10) {
				squares, values, x := somePlanes(seed, in)
				want := direct(x, w, in, out)
				for i := range want {
					want[i] = max(0, want[i]+float64(bias[i%out]))
				}
				y, other := noise(5, 64*out, 1), make([]float32, 64*out)
				p.Forward(y, squares, values, used)
				near(t, path.Name, y, want, 1e-5)
				p.Forward(other, squares, values, new(PlanesScratch))
				if !slices.Equal(other, y) {
					t.Errorf("%s: the result depends on the boards before", path.Name)
				}
				NewPlanes(path, w, nil, in, out).Forward(other, squares, values, used)
				if path.Rectify(other, bias, 64); !slices.Equal(other, y) {
					t.Errorf("%s: without the bias, and then with it, the result is another", path.Name)
				}
			}
		}
	}
}
