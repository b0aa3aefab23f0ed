package kernel

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func TestPlanes(t *testing.T) {
	const boards, in, out = 3, 70, 24 // more planes than are tested for being constant
	w, bias := noise(2, 9*in*out, 0.3), noise(3, out, 0.3)
	inputs := map[string][]float32{"dense": noise(1, boards*64*in, 1)}
	sparse := make([]float32, boards*64*in)
	for i := range sparse {
		switch plane, square := i%in, i/in%64; {
		case plane%10 == 3:
			sparse[i] = float32(plane) / 70 // constant
		case plane%10 == 4 && square != 63:
			sparse[i] = 1 // constant except on the last square
		case i%31 == 0:
			sparse[i] = 1
		}
	}
	inputs["sparse"] = sparse
	for _, path := range Paths() {
		for name, x := range inputs {
			want := direct(x, w, in, out)
			for i := range want {
				want[i] = max(0, want[i]+float64(bias[i%out]))
			}
			y := noise(5, boards*64*out, 1) // to be overwritten
			scratch := new(PlanesScratch)
			p := NewPlanes(path, w, bias, in, out)
			p.Forward(y, x, boards, scratch)
			near(t, path.Name+" "+name, y, want, 1e-5)
			alone := make([]float32, 64*out)
			p.Forward(alone, x[2*64*in:], 1, scratch)
			if !slices.Equal(alone, y[2*64*out:]) {
				t.Errorf("%s: a single board gives another result than the same board in a batch", name)
			}
			NewPlanes(path, w, nil, in, out).Forward(alone, x[2*64*in:], 1, scratch)
			if path.Rectify(alone, bias, 64); !slices.Equal(alone, y[2*64*out:]) {
				t.Errorf("%s: without the bias, and then with it, the result is another", name)
			}
		}
	}
}

// TestBitBoard: planes in bits give the same bits as the same planes in numbers.
func TestBitBoard(t *testing.T) {
	const in, out = 40, 24
	r := rand.New(rand.NewPCG(1, 2))
	for _, path := range Paths() {
		for _, path := range []*Path{path, path.Unfused()} {
			p := NewPlanes(path, noise(2, 9*in*out, 0.3), noise(3, out, 0.3), in, out)
			for range 10 {
				var squares [in]uint64
				var values [in]float32
				x := make([]float32, 64*in)
				for i := range in {
					squares[i], values[i] = r.Uint64()&r.Uint64()&r.Uint64(), 1
					if r.IntN(4) == 0 {
						squares[i] = ^uint64(0)
					}
					switch r.IntN(4) {
					case 0:
						values[i] = r.Float32()
					case 1:
						values[i] = 0
					}
					for square := range 64 {
						if squares[i]>>square&1 == 1 {
							x[square*in+i] = values[i]
						}
					}
				}
				var numbers, bits PlanesScratch
				p.Board(x, &numbers)
				p.BitBoard(squares[:], values[:], &bits)
				for rank := range 8 {
					if got, want := bits.Rank(rank, out), numbers.Rank(rank, out); !slices.Equal(got, want) {
						t.Fatalf("%s, rank %d: %v, in numbers %v", path.Name, rank, got, want)
					}
				}
			}
		}
	}
}
