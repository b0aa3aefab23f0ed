package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

func noise(seed uint64, n int, scale float64) []float32 {
	r := rand.New(rand.NewPCG(seed, 1))
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(scale * r.NormFloat64())
	}
	return x
}

// direct is the convolution's definition, in float64.
func direct(x, w, bias, res []float32, in, out int, own int) []float64 {
	boards := len(x) / 64 / in
	y := make([]float64, boards*64*out)
	for b := range boards {
		for sq := range 64 {
			for o := range out {
				s := float64(bias[b*own+o])
				for dy := -1; dy <= 1; dy++ {
					for dx := -1; dx <= 1; dx++ {
						r, f := sq/8+dy, sq%8+dx
						if r < 0 || r > 7 || f < 0 || f > 7 {
							continue
						}
						for i := range in {
							s += float64(x[(b*64+r*8+f)*in+i]) * float64(w[((dy+1)*3+dx+1)*in*out+i*out+o])
						}
					}
				}
				if res != nil {
					s += float64(res[(b*64+sq)*out+o])
				}
				y[(b*64+sq)*out+o] = max(0, s)
			}
		}
	}
	return y
}

func TestConv(t *testing.T) {
	for _, c := range []struct {
		in, out, boards int
		res, own        bool
	}{
		{8, 8, 1, false, false}, {16, 16, 3, true, false}, {40, 16, 5, false, false},
		{24, 32, 4, true, true}, {64, 64, 2, true, true}, {7, 3, 9, true, false},
	} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			x := noise(1, c.boards*64*c.in, 1)
			w := noise(2, 9*c.in*c.out, math.Sqrt(2/float64(9*c.in)))
			own := 0
			if c.own {
				own = c.out
			}
			bias := noise(3, c.out+own*(c.boards-1), 0.1)
			var res []float32
			if c.res {
				res = noise(4, c.boards*64*c.out, 1)
			}
			want := direct(x, w, bias, res, c.in, c.out, own)
			y := make([]float32, len(want))
			NewConv(w, c.in, c.out).Forward(y, x, bias, res, c.boards, NewScratch(max(c.in, c.out)))
			for i := range y {
				if d := math.Abs(float64(y[i]) - want[i]); d > 1e-4 {
					t.Fatalf("element %d: got %v, want %v", i, y[i], want[i])
				}
			}
		})
	}
}

func BenchmarkConv(b *testing.B) {
	for _, ch := range []int{16, 32, 64, 128} {
		for _, boards := range []int{1, 8} {
			x, w := noise(1, boards*64*ch, 1), noise(2, 9*ch*ch, 0.1)
			y, bias := make([]float32, len(x)), make([]float32, ch)
			c, s := NewConv(w, ch, ch), NewScratch(ch)
			b.Run(fmt.Sprintf("winograd/channels=%d/boards=%d", ch, boards), func(b *testing.B) {
				for b.Loop() {
					c.Forward(y, x, bias, x, boards, s)
				}
				b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*boards), "us/board")
			})
		}
	}
}

func BenchmarkWinoParts(b *testing.B) {
	for _, ch := range []int{16, 64} {
		x, w := noise(1, 64*ch, 1), noise(2, 9*ch*ch, 0.1)
		y, bias := make([]float32, len(x)), make([]float32, ch)
		c, s := NewConv(w, ch, ch), NewScratch(ch)
		b.Run(fmt.Sprintf("in/%d", ch), func(b *testing.B) {
			for b.Loop() {
				winoIn(s.v, x, ch)
			}
		})
		b.Run(fmt.Sprintf("gemm/%d", ch), func(b *testing.B) {
			for b.Loop() {
				c.products(s.v, s.m, 1)
			}
		})
		b.Run(fmt.Sprintf("out/%d", ch), func(b *testing.B) {
			for b.Loop() {
				winoOut(y, s.m, bias, x, ch)
			}
		})
	}
}
