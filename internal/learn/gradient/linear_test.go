package gradient

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"warren/internal/kernel"
)

func TestLinear(t *testing.T) {
	for _, shape := range []struct{ rows, in, out int }{{1, 1, 1}, {300, 32, 4}, {3, 64, 7}, {7, 130, 33}, {5, 20, 1}, {513, 16, 32}, {516, 16, 32}, {516, 64, 48}, {256, 32, 4}, {260, 96, 1}, {8, 512, 64}, {4, 24, 7}} {
		for _, relu := range []bool{false, true} {
			t.Run(fmt.Sprint(shape, relu), func(t *testing.T) {
				rows, in, out := shape.rows, shape.in, shape.out
				rng := rand.New(rand.NewPCG(1, uint64(in)))
				x, w := numbers(rng, rows*in, 1), numbers(rng, in*out, 0.3)
				bias, dy := numbers(rng, out, 1), numbers(rng, rows*out, 1)
				l := NewLinear(kernel.Best(), rows, in, out, relu, NewWorkers(2), new(Space))
				y := make([]float32, rows*out)
				l.Forward(x, w, bias, y)
				want := make([]float64, rows*out)
				wantX, wantW, wantBias := make([]float64, len(x)), make([]float64, len(w)), make([]float64, out)
				for r := range rows {
					for j := range out {
						s := float64(bias[j])
						for i := range in {
							s += float64(x[r*in+i]) * float64(w[i*out+j])
						}
						if relu {
							s = max(0, s)
						}
						want[r*out+j] = s
						d := float64(dy[r*out+j])
						if relu && !(y[r*out+j] > 0) {
							continue
						}
						wantBias[j] += d
						for i := range in {
							wantX[r*in+i] += d * float64(w[i*out+j])
							wantW[i*out+j] += d * float64(x[r*in+i])
						}
					}
				}
				near(t, "y", y, want, 1e-5)
				dx, dw, dBias := numbers(rng, len(x), 1), numbers(rng, len(w), 1), numbers(rng, out, 1)
				l.Backward(x, w, y, dy, dx, dw, dBias)
				near(t, "dx", dx, wantX, 1e-5)
				near(t, "dw", dw, wantW, 1e-5)
				near(t, "dBias", dBias, wantBias, 1e-5)

				l.Workers = NewWorkers(1)
				dw1, y1 := make([]float32, len(w)), make([]float32, len(y))
				l.Forward(x, w, bias, y1)
				l.Backward(x, w, y, dy, nil, dw1, dBias)
				same(t, "y of one worker", y1, y)
				same(t, "dw of one worker", dw1, dw)
			})
		}
	}
}

func TestPool(t *testing.T) {
	const boards, c = 3, 24
	rng := rand.New(rand.NewPCG(4, 4))
	x, dy := numbers(rng, boards*squares*c, 1), numbers(rng, boards*2*c, 1)
	for i := range x { // after a ReLU many squares share a maximum of 0
		if i%c < 3 {
			x[i] = 0
		}
	}
	y, dx := make([]float32, boards*2*c), numbers(rng, len(x), 1)
	Pool(kernel.Best(), NewWorkers(2), boards, c, x, y)
	PoolBackward(NewWorkers(2), boards, c, x, y, dy, dx)
	want, wantX := make([]float64, len(y)), make([]float64, len(x))
	for b := range boards {
		for j := range c {
			sum, most := 0.0, 0
			for s := range squares {
				at := (b*squares+s)*c + j
				sum += float64(x[at])
				if x[at] > x[(b*squares+most)*c+j] {
					most = s
				}
				wantX[at] += float64(dy[b*2*c+j]) / squares
			}
			wantX[(b*squares+most)*c+j] += float64(dy[b*2*c+c+j])
			want[b*2*c+j], want[b*2*c+c+j] = sum/squares, float64(x[(b*squares+most)*c+j])
		}
	}
	near(t, "y", y, want, 1e-6)
	near(t, "dx", dx, wantX, 1e-6)
}

func TestProducts(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	for _, s := range [][3]int{{1, 1, 1}, {4, 2, 3}, {7, 5, 9}, {70, 33, 16}, {300, 64, 20}} {
		m, n, k := s[0], s[1], s[2]
		a, b, c := numbers(rng, m*k, 1), numbers(rng, k*n, 1), numbers(rng, m*n, 1)
		at := make([]float32, m*k)
		transpose(m, k, a, at)
		want := make([]float64, m*n)
		for i := range m {
			for j := range n {
				want[i*n+j] = float64(c[i*n+j])
				for l := range k {
					want[i*n+j] += float64(a[i*k+l]) * float64(b[l*n+j])
				}
			}
		}
		for name, f := range map[string]func(c []float32){
			"scalar":             func(c []float32) { scalarMulAdd(m, n, k, a, k, 1, b, c) },
			"scalar, transposed": func(c []float32) { scalarMulAdd(m, n, k, at, 1, m, b, c) },
		} {
			got := append([]float32(nil), c...)
			f(got)
			near(t, fmt.Sprint(name, s), got, want, 1e-6)
		}
	}
}
