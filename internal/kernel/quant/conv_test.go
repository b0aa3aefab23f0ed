package quant

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

func noise(r *rand.Rand, n int, scale float64) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(scale * r.NormFloat64())
	}
	return x
}

// activations returns whole numbers as a ReLU leaves them, for boards of so many channels.
func activations(r *rand.Rand, boards, channels int) []int16 {
	x := make([]int16, boards*64*Rounded(channels))
	for i := range x {
		if i%Rounded(channels) < channels {
			x[i] = int16(max(0, min(r.NormFloat64()*5000, Top)))
		}
	}
	return x
}

func steps(r *rand.Rand, channels int) Format {
	f := Format{make([]float32, channels)}
	for i := range f.Step {
		f.Step[i] = float32(math.Exp(r.NormFloat64()/2) * 1e-4)
	}
	return f
}

// direct is the definition of the convolution with bias, residual and ReLU, in float64.
func direct(x []int16, f Format, w, bias []float32, residual []int16, g Format) []float64 {
	in, out := len(f.Step), len(bias)
	y := make([]float64, 64*out)
	for s := range 64 {
		for o := range out {
			sum := float64(bias[o])
			for tap := range 9 {
				rank, file := s/8+tap/3-1, s%8+tap%3-1
				if rank < 0 || rank > 7 || file < 0 || file > 7 {
					continue
				}
				for i := range in {
					sum += float64(x[(rank*8+file)*Rounded(in)+i]) * float64(f.Step[i]) * float64(w[(tap*in+i)*out+o])
				}
			}
			if residual != nil {
				sum += float64(residual[s*Rounded(out)+o]) * float64(g.Step[o])
			}
			y[s*out+o] = max(0, sum)
		}
	}
	return y
}

func TestConvMatchesDefinition(t *testing.T) {
	for _, c := range []struct{ in, out int }{{8, 8}, {24, 40}, {64, 64}, {80, 96}, {16, 136}} {
		for _, add := range []bool{false, true} {
			r := rand.New(rand.NewPCG(uint64(c.in), uint64(c.out)))
			const boards = 5
			x, f, g := activations(r, boards, c.in), steps(r, c.in), Format{}
			w, bias := noise(r, 9*c.in*c.out, 0.1), noise(r, c.out, 0.5)
			var residual []int16
			if add {
				residual, g = activations(r, boards, c.out), steps(r, c.out)
			}
			conv := NewConv(&plain, w, bias, c.in, c.out, f)
			bound := conv.Largest(bias, g)
			conv.Fit(Fitted(bound, 1), g)
			y := make([]int16, boards*64*Rounded(c.out))
			for range 2 { // the second time with steps that fit
				conv.Forward(y, x, nil, residual, boards, new(Scratch))
				most := make([]float32, c.out)
				for i, q := range y {
					if o := i % Rounded(c.out); o < c.out {
						most[o] = max(most[o], float32(q)*conv.Format().Step[o])
					} else if q != 0 {
						t.Fatalf("a channel that is not there has %d", q)
					}
				}
				conv.Fit(Fitted(most, 1.1), g)
				for o, v := range most {
					if v > bound[o] {
						t.Fatalf("%v: output %d is %v, more than the bound %v", c, o, v, bound[o])
					}
				}
			}
			conv.Forward(y, x, nil, residual, boards, new(Scratch))
			for b := range boards {
				var own []int16
				if add {
					own = residual[b*64*Rounded(c.out):]
				}
				want := direct(x[b*64*Rounded(c.in):], f, w, bias, own, g)
				peak := 0.0
				for _, v := range want {
					peak = max(peak, v)
				}
				for i, v := range want {
					o := i % c.out
					got := float64(y[(b*64+i/c.out)*Rounded(c.out)+o]) * float64(conv.Format().Step[o])
					if !(math.Abs(got-v) <= 1e-2*peak) {
						t.Fatalf("%v, board %d, square %d, output %d: got %v, want %v (largest %v)", c, b, i/c.out, o, got, v, peak)
					}
				}
			}
		}
	}
}

// TestBiasOfBoards: a bias for each board is that of the convolution for this board.
func TestBiasOfBoards(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	const in, out, boards = 16, 24, 3
	x, f, w := activations(r, boards, in), steps(r, in), noise(r, 9*in*out, 0.1)
	biases := noise(r, boards*out, 1)
	y := make([]int16, boards*64*Rounded(out))
	format := Fitted(make([]float32, out), 1)
	for o := range format.Step {
		format.Step[o] = 1e-3
	}
	conv := NewConv(&plain, w, make([]float32, out), in, out, f)
	conv.Fit(format, Format{})
	conv.Forward(y, x, biases, nil, boards, new(Scratch))
	for b := range boards {
		alone := make([]int16, 64*Rounded(out))
		conv := NewConv(&plain, w, biases[b*out:][:out], in, out, f)
		conv.Fit(format, Format{})
		conv.Forward(alone, x[b*64*in:][:64*in], nil, nil, 1, new(Scratch))
		for i, q := range alone {
			if got := y[b*64*Rounded(out)+i]; got < q-1 || got > q+1 {
				t.Fatalf("board %d, element %d: %d, want %d", b, i, got, q)
			}
		}
	}
}

func TestWeightsFit(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{1, 16, 64, 1024, 32768} {
		for name, weight := range map[string]func(i int) float64{
			"alike":  func(int) float64 { return 3 },
			"random": func(int) float64 { return r.NormFloat64() * 1e-9 },
			"one":    func(i int) float64 { return float64(min(i, 1)) - 1 },
			"tails":  func(int) float64 { return math.Exp(5*r.NormFloat64()) * 1e20 },
		} {
			weights, q := make([]float64, n), make([]int16, n)
			for i := range weights {
				weights[i] = weight(i)
			}
			step := quantize(q, weights)
			sum, peak := int64(0), int16(0)
			for i, w := range q {
				sum += int64(max(w, -w))
				peak = max(peak, w, -w)
				if w == math.MinInt16 || math.Abs(float64(w)*step-weights[i]) > step*0.501 {
					t.Fatalf("%d %s: weight %v is %d steps of %v", n, name, weights[i], w, step)
				}
			}
			if sum<<15 > math.MaxInt32 {
				t.Errorf("%d %s: the sum of the magnitudes is %d", n, name, sum)
			}
			if sum<<15 < math.MaxInt32/3 && peak < math.MaxInt16-1 {
				t.Errorf("%d %s: the sum of the magnitudes is only %d, the largest weight %d", n, name, sum, peak)
			}
		}
	}
}

// TestPointsFit transforms boards whose squares are 0 or Top, in the patterns that make each point
// as large as it can be, and compares with whole numbers.
func TestPointsFit(t *testing.T) {
	bt := [6][6]int{{4, 0, -5, 0, 1, 0}, {0, -4, -4, 1, 1, 0}, {0, 4, -4, -1, 1, 0}, {0, -2, -1, 2, 1, 0}, {0, 2, -1, -2, 1, 0}, {0, 4, 0, -5, 0, 1}}
	limited := 0
	for point := range points {
		for tile := range tiles {
			for _, sign := range []int{1, -1} {
				x := make([]int16, 64)
				factor := func(p, square int) int { // of a square in a point of the tile
					r, f := square/8-tile/2*4+1, square%8-tile%2*4+1
					if r < 0 || r > 5 || f < 0 || f > 5 {
						return 0
					}
					return bt[p/6][r] * bt[p%6][f]
				}
				for s := range x {
					if sign*factor(point, s) > 0 {
						x[s] = Top
					}
				}
				v := make([]int16, points*tiles)
				input(v, x, nil, 1, tiles)
				for p := range points {
					exact := 0
					for s, q := range x {
						exact += factor(p, s) * int(q)
					}
					want := math.RoundToEven(float64(exact) / float64(divisor(p)))
					if want > math.MaxInt16 || want < math.MinInt16 {
						limited++
					}
					if got := float64(v[p*tiles+tile]); got != min(max(math.MinInt16, want), math.MaxInt16) {
						t.Fatalf("%s: got %v, want %v", fmt.Sprint(point, tile, sign, p), got, want)
					}
				}
			}
		}
	}
	if limited == 0 {
		t.Error("no point was so large that it had to be limited")
	}
}

func TestDenseMatchesDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 3))
	const part, n, rows = 24, 13, 6
	f := steps(r, part)
	w := noise(r, 2*part*n, 1)
	d := NewDense(&plain, w, n, 2, f.Pooled())
	a := activations(r, 1, part)[:Rows(rows)*2*Rounded(part)]
	c := make([]float32, Rows(rows)*d.Stride())
	d.Multiply(c, a, rows)
	for row := range rows {
		want, size := make([]float64, d.Stride()), 0.0
		for half := range 2 {
			for i, step := range f.Step {
				x := float64(a[(row*2+half)*Rounded(part)+i]) * float64(step)
				for o := range n {
					v := x * float64(w[(half*part+i)*n+o])
					want[o] += v
					size = max(size, math.Abs(v))
				}
			}
		}
		for o, v := range want {
			if got := float64(c[row*d.Stride()+o]); math.Abs(got-v) > 1e-3*size {
				t.Errorf("row %d, column %d: got %v, want %v", row, o, got, v)
			}
		}
	}
}
