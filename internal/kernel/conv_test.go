package kernel

import (
	"fmt"
	"math"
	"slices"
	"testing"
)

// direct computes the convolution by its definition, in float64, without the ReLU.
func direct(x, w []float32, in, out int) []float64 {
	boards := len(x) / 64 / in
	y := make([]float64, boards*64*out)
	each(boards, func(from, to, tap int) {
		for i, v := range x[from*in:][:in] {
			for o := range out {
				y[to*out+o] += float64(v) * float64(w[(tap*in+i)*out+o])
			}
		}
	})
	return y
}

// each calls f for every pair of a square and one of its up to nine neighbours.
func each(boards int, f func(from, to, tap int)) {
	for b := range boards {
		for s := range 64 {
			for tap := range 9 {
				r, c := s/8+tap/3-1, s%8+tap%3-1
				if r >= 0 && r <= 7 && c >= 0 && c <= 7 {
					f(b*64+r*8+c, b*64+s, tap)
				}
			}
		}
	}
}

func pack(c *Conv, w []float32) []float32 {
	packed := make([]float32, c.PackedSize())
	c.Pack(packed, w, 0, c.in, make([]float32, points*c.out))
	return packed
}

func packTransposed(c *Conv, w []float32) []float32 {
	packed := make([]float32, c.PackedSize())
	// Pack in two parts, as two workers would.
	row := make([]float32, points*c.out)
	c.PackTransposed(packed, w, 0, c.in/2, row)
	c.PackTransposed(packed, w, c.in/2, c.in, row)
	return packed
}

type shape struct{ in, out, boards int }

// shapes are numbers of channels of every kind that a configuration can have, with odd batches
// larger than one group.
var shapes = []shape{
	{8, 8, 1}, {8, 8, 17}, {16, 16, 3}, {40, 16, 5}, {16, 40, 2}, {24, 32, 4}, {40, 64, 9}, {64, 64, 2}, {48, 48, 1},
	{56, 56, 3}, {64, 64, 11}, {72, 72, 1}, {80, 80, 1}, {96, 96, 3}, {112, 112, 1}, {128, 128, 5}, {136, 136, 1}, {256, 256, 5}, {512, 512, 1},
}

func TestConvForward(t *testing.T) {
	for _, sh := range shapes {
		if testing.Short() && sh.in > 128 {
			continue
		}
		x := noise(1, sh.boards*64*sh.in, 1)
		w := noise(2, 9*sh.in*sh.out, math.Sqrt(2/float64(9*sh.in)))
		sums := direct(x, w, sh.in, sh.out)
		for _, extra := range []bool{false, true} {
			bias := noise(3, sh.out, 0.1)
			var residual []float32
			if extra {
				residual, bias = noise(4, sh.boards*64*sh.out, 1), noise(3, sh.boards*sh.out, 0.1)
			}
			want := make([]float64, len(sums))
			for i, sum := range sums {
				b := bias[i%sh.out]
				if extra {
					b = bias[i/64/sh.out*sh.out+i%sh.out] + residual[i]
				}
				want[i] = max(0, sum+float64(b))
			}
			for _, p := range Paths() {
				c := NewConv(p, sh.in, sh.out)
				y := guard(make([]float32, len(want)))
				packed := pack(c, w)
				c.Forward(y.mid(), x, packed, bias, residual, sh.boards, new(Scratch))
				what := fmt.Sprint(p.Name, sh, extra)
				y.check(t, what)
				near(t, what, y.mid(), want, 2e-5)

				// A single board must give the same bits.
				last := sh.boards - 1
				alone := make([]float32, 64*sh.out)
				b, r := bias, residual
				if extra {
					b, r = bias[last*sh.out:], residual[last*64*sh.out:]
				}
				c.Forward(alone, x[last*64*sh.in:], packed, b, r, 1, new(Scratch))
				if !slices.Equal(alone, y.mid()[last*64*sh.out:]) {
					t.Errorf("%s: a single board gives another result than the same board in a batch", what)
				}
			}
		}
	}
}

func TestConvBackward(t *testing.T) {
	for _, sh := range shapes {
		if sh.in > 256 || testing.Short() && sh.in > 128 {
			continue
		}
		in, out := sh.in, sh.out
		x, w := noise(1, sh.boards*64*in, 1), noise(2, 9*in*out, 0.2)
		y, dy := noise(3, sh.boards*64*out, 1), noise(4, sh.boards*64*out, 1)
		before, sums := make([]float64, len(dy)), make([]float64, sh.boards*out)
		for i, v := range y {
			y[i] = max(0, v)
			if v > 0 {
				before[i] = float64(dy[i])
				sums[i/64/out*out+i%out] += before[i]
			}
		}
		dx, dw := make([]float64, len(x)), make([]float64, len(w))
		each(sh.boards, func(from, to, tap int) {
			g := before[to*out:][:out]
			for i, v := range x[from*in:][:in] {
				at := (tap*in + i) * out
				for o, d := range g {
					dx[from*in+i] += d * float64(w[at+o])
					dw[at+o] += d * float64(v)
				}
			}
		})
		for _, p := range Paths() {
			c := NewConv(p, in, out)
			gx, gb, gs := guard(make([]float32, len(x))), guard(dy), guard(make([]float32, len(sums)))
			du := guard(make([]float32, c.PackedSize()))
			d := Gradients{X: gx.mid(), Before: gb.mid(), Sums: gs.mid(), Weights: du.mid()}
			c.Backward(d, x, y, gb.mid(), packTransposed(c, w), sh.boards, new(Scratch))
			got := make([]float32, len(w))
			for i := range in {
				FilterAdjoint(got, ofChannel(du.mid(), i, in, out), i, in, out)
			}
			what := fmt.Sprint(p.Name, sh)
			for _, g := range []*guarded{gx, gb, gs, du} {
				g.check(t, what)
			}
			near(t, what+" dx", gx.mid(), dx, 2e-5)
			near(t, what+" dw", got, dw, 2e-5)
			near(t, what+" before", gb.mid(), before, 0)
			near(t, what+" sums", gs.mid(), sums, 1e-5)

			again := make([]float32, c.PackedSize())
			c.Backward(Gradients{Before: gb.mid(), Sums: gs.mid(), Weights: again}, x, y, dy, nil, sh.boards, new(Scratch))
			if !slices.Equal(again, du.mid()) {
				t.Errorf("%s: the gradient by the weights differs when the gradient by the input is not computed", what)
			}
		}
	}
}

// TestConvExtremes checks that numbers near the limits of float32 give finite results, and that a
// NaN affects only its own board.
func TestConvExtremes(t *testing.T) {
	const ch, boards = 16, 3
	for _, p := range Paths() {
		c := NewConv(p, ch, ch)
		for _, scale := range []float64{1e-42, 1e-20, 1, 1e15} {
			x, w, bias := noise(1, boards*64*ch, scale), noise(2, 9*ch*ch, scale), noise(3, ch, scale)
			y := make([]float32, len(x))
			c.Forward(y, x, pack(c, w), bias, x, boards, new(Scratch))
			for i, v := range y {
				if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
					t.Fatalf("%s, scale %g: element %d is %v", p.Name, scale, i, v)
				}
			}
		}
		x, w, bias := noise(1, boards*64*ch, 1), noise(2, 9*ch*ch, 1), noise(3, ch, 1)
		packed := pack(c, w)
		clean, y := make([]float32, len(x)), make([]float32, len(x))
		c.Forward(clean, x, packed, bias, nil, boards, new(Scratch))
		x[64*ch+5] = float32(math.NaN())
		c.Forward(y, x, packed, bias, nil, boards, new(Scratch))
		for b := range boards {
			part := y[b*64*ch:][:64*ch]
			if b != 1 && !slices.Equal(part, clean[b*64*ch:][:64*ch]) {
				t.Errorf("%s: a NaN on board 1 changed board %d", p.Name, b)
			}
			if b == 1 && !math.IsNaN(float64(part[5])) {
				t.Errorf("%s: a NaN became %v", p.Name, part[5])
			}
		}
	}
}

func TestDense(t *testing.T) {
	for _, p := range Paths() {
		for _, s := range []struct{ rows, k, n int }{{1, 1, 1}, {3, 2, 4}, {64, 64, 41}, {7, 513, 7}, {8, 96, 48}, {5, 17, 64}} {
			a, w := noise(1, Rounded(s.rows)*s.k, 1), noise(2, s.k*s.n, 1)
			d := NewDense(p, w, s.k, s.n)
			c := guard(make([]float32, Rounded(s.rows)*d.Stride()))
			d.Multiply(c.mid(), a, s.rows)
			what := fmt.Sprint(p.Name, s)
			c.check(t, what)
			want := make([]float64, s.rows*d.Stride())
			for i := range want {
				if j := i % d.Stride(); j < s.n {
					for l := range s.k {
						want[i] += float64(a[i/d.Stride()*s.k+l]) * float64(w[l*s.n+j])
					}
				}
			}
			near(t, what, c.mid(), want, 1e-5)
		}
	}
}

// Pool, Rectify and Add support any size, unlike the assembly.
func TestAnySize(t *testing.T) {
	for _, p := range Paths() {
		for n := 1; n < 40; n++ {
			x, bias := noise(1, 64*n, 1), noise(2, n, 1)
			mean, most := guard(make([]float32, n)), guard(make([]float32, n))
			p.Pool(mean.mid(), most.mid(), x)
			wantMean, wantMost := make([]float32, n), make([]float32, n)
			pool(wantMean, wantMost, x, n, n)
			near(t, "mean", mean.mid(), wantMean, 1e-6)
			near(t, "most", most.mid(), wantMost, 0)
			y, want := guard(x), slices.Clone(x)
			p.Rectify(y.mid(), bias, 64)
			rectify(want, bias, 64)
			near(t, "rectified", y.mid(), want, 0)
			p.Add(y.mid()[:n], bias)
			axpy(want[:n], bias, 1)
			near(t, "sum", y.mid(), want, 0)
			for _, g := range []*guarded{mean, most, y} {
				g.check(t, fmt.Sprint(p.Name, n))
			}
		}
	}
}

func TestOuterSum(t *testing.T) {
	for _, p := range Paths() {
		for _, s := range []struct{ rows, m, width, n int }{{4, 4, 4, 8}, {520, 8, 20, 24}, {256, 64, 64, 48}, {1028, 12, 12, 64}} {
			a, b := noise(1, s.rows*s.width, 1), noise(2, s.rows*s.n, 1)
			c := guard(noise(3, s.m*s.n, 1))
			want := make([]float64, s.m*s.n)
			for i := range want {
				want[i] = float64(c.mid()[i])
				for r := range s.rows {
					want[i] += float64(a[r*s.width+i/s.n]) * float64(b[r*s.n+i%s.n])
				}
			}
			p.OuterSum(c.mid(), a, b, s.rows, s.m, s.width, s.n)
			c.check(t, p.Name)
			near(t, fmt.Sprint(p.Name, s), c.mid(), want, 1e-5)
		}
	}
}

func TestNamed(t *testing.T) {
	for _, p := range Paths() {
		if got, err := Named(p.Name); err != nil || got.Name != p.Name {
			t.Errorf("Named(%q) is %v, %v", p.Name, got, err)
		}
	}
	if _, err := Named("avx1024"); err == nil {
		t.Error("avx1024 is accepted")
	}
}

// The fastest path comes first, because networks run on it: wide vectors before narrow ones, and plain Go
// after all assembly.
func TestPathsBeginWithTheFastest(t *testing.T) {
	var names []string
	for _, p := range Paths() {
		names = append(names, p.Name)
	}
	if slices.Index(names, "go") != len(names)-1 || slices.Index(names, "avx512") > 0 {
		t.Errorf("the paths are %v", names)
	}
	if best := Best().Name; best != names[0] {
		t.Errorf("the best path of %v is %s", names, best)
	}
}

func BenchmarkConv(b *testing.B) {
	for _, ch := range []int{16, 32, 64, 128, 256} {
		for _, boards := range []int{1, 8, 32} {
			for _, p := range Paths() {
				x, w := noise(1, boards*64*ch, 1), noise(2, 9*ch*ch, 0.1)
				y, bias := make([]float32, len(x)), make([]float32, ch)
				c, s := NewConv(p, ch, ch), new(Scratch)
				packed := pack(c, w)
				b.Run(fmt.Sprintf("%s/channels=%d/boards=%d", p.Name, ch, boards), func(b *testing.B) {
					for b.Loop() {
						c.Forward(y, x, packed, bias, x, boards, s)
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/1000/float64(b.N*boards), "us/board")
				})
			}
		}
	}
}
