package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
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

// near fails the test if got differs from want by more than the tolerance, relative to the largest
// number in want.
func near[F float32 | float64](t *testing.T, what string, got []float32, want []F, tolerance float64) {
	t.Helper()
	scale := 1e-30
	for _, v := range want {
		scale = max(scale, math.Abs(float64(v)))
	}
	for i, v := range want {
		if d := math.Abs(float64(got[i])-float64(v)) / scale; !(d <= tolerance) {
			t.Fatalf("%s: element %d is %v, want %v", what, i, got[i], v)
		}
	}
}

// guarded is memory with canaries around it, because the assembly does not check bounds.
type guarded struct {
	all []float32
	n   int
}

const canary = 12345.5

func guard(x []float32) *guarded {
	g := &guarded{make([]float32, len(x)+128), len(x)}
	for i := range g.all {
		g.all[i] = canary
	}
	copy(g.mid(), x)
	return g
}

// mid returns the memory between the canaries, which is aligned only to a single number.
func (g *guarded) mid() []float32 { return g.all[65:][:g.n] }

func (g *guarded) check(t *testing.T, what string) {
	t.Helper()
	for i, v := range g.all {
		if (i < 65 || i >= 65+g.n) && v != canary {
			t.Fatalf("%s: wrote out of bounds, at %d of %d", what, i-65, g.n)
		}
	}
}

// call is one routine with its arguments. It writes to out and reads in.
type call struct {
	name    string
	out, in [][]float32
	run     func(r *routines, out, in [][]float32)
}

func calls(r *routines, channels int) []call {
	point, board := pointStride(channels), 64*channels
	line := make([]float32, lineSize)
	x, y, v := noise(1, board, 1), noise(2, board, 1), noise(3, points*point, 1)
	for i := range y {
		y[i] = max(0, y[i])
	}
	bias := noise(4, channels, 1)
	all := []call{
		{"input", [][]float32{v}, [][]float32{x}, func(r *routines, out, in [][]float32) { r.input(out[0], in[0], line, channels, point) }},
		{"inputAdjoint", [][]float32{x}, [][]float32{v}, func(r *routines, out, in [][]float32) { r.inputAdjoint(out[0], in[0], line, channels, point) }},
		{"output", [][]float32{y}, [][]float32{v, bias}, func(r *routines, out, in [][]float32) { r.output(out[0], in[0], in[1], line, channels, point) }},
		{"outputAdd", [][]float32{y}, [][]float32{v, bias, x}, func(r *routines, out, in [][]float32) {
			r.outputAdd(out[0], in[0], in[1], in[2], line, channels, point)
		}},
		{"outputAdd in place", [][]float32{x}, [][]float32{v, bias}, func(r *routines, out, in [][]float32) {
			r.outputAdd(out[0], in[0], in[1], out[0], line, channels, point)
		}},
		{"outputAdjoint", [][]float32{v, x, bias}, [][]float32{x, y}, func(r *routines, out, in [][]float32) {
			r.outputAdjoint(out[0], out[1], out[2], in[0], in[1], line, channels, point)
		}},
		{"outputAdjoint in place", [][]float32{v, x, bias}, [][]float32{y}, func(r *routines, out, in [][]float32) {
			r.outputAdjoint(out[0], out[1], out[2], out[1], in[0], line, channels, point)
		}},
		{"axpy", [][]float32{x}, [][]float32{y}, func(r *routines, out, in [][]float32) { r.axpy(out[0], in[0], 1.25) }},
		{"rectify", [][]float32{x}, [][]float32{bias}, func(r *routines, out, in [][]float32) { r.rectify(out[0], in[0], 64) }},
		{"pool", [][]float32{bias, bias}, [][]float32{x}, func(r *routines, out, in [][]float32) { r.pool(out[0], out[1], in[0], channels, channels) }},
	}
	for _, k := range []int{1, 3, 4, 8, 39, 64} {
		for _, blocks := range []int{1, 2, 3, 5} {
			a, c := noise(5, blocks*(4*k+3), 1), noise(6, (blocks+1)*5*channels, 1)
			w := noise(7, k*channels, 1)
			all = append(all, call{fmt.Sprintf("product of %d by %d blocks", k, blocks), [][]float32{c}, [][]float32{a, w}, func(r *routines, out, in [][]float32) {
				packed := make([]float32, len(w))
				for i := range k {
					r.packRow(packed, in[1][i*channels:][:channels], i, k)
				}
				r.panels(channels, func(column, vectors int) {
					r.product[vectors](out[0][column:], in[0], packed[column*k:], k, blocks, 4*k+3, 4*channels+5, channels)
				})
			}})
			if k%4 > 0 {
				continue
			}
			a, b, c := noise(8, blocks*(4*k+9), 1), noise(9, blocks*(4*channels+7), 1), noise(10, k*channels, 1)
			all = append(all, call{fmt.Sprintf("outer of %d by %d blocks", k, blocks), [][]float32{c}, [][]float32{a, b}, func(r *routines, out, in [][]float32) {
				r.panels(channels, func(column, vectors int) {
					r.outer[vectors](out[0][column:], in[0], in[1][column:], k, blocks, 4*k+9, 4*channels+7, k, channels, channels)
				})
			}})
		}
	}
	return all
}

func TestAssemblyEqualsTwin(t *testing.T) {
	for _, p := range assembly() {
		for channels := 8; channels <= 512; channels += 8 {
			if channels > 128 && channels%64 > 0 && channels != 264 {
				continue
			}
			r := p.of(channels)
			for _, c := range calls(r, channels) {
				what := fmt.Sprintf("%s, %d channels, %s", p.Name, channels, c.name)
				var got, want [][]float32
				var guards []*guarded
				for _, x := range c.out {
					g := guard(x)
					guards = append(guards, g)
					got, want = append(got, g.mid()), append(want, slices.Clone(x))
				}
				in := make([][]float32, len(c.in))
				for i, x := range c.in {
					in[i] = slices.Clone(x)
				}
				c.run(r, got, in)
				c.run(&twin, want, c.in)
				for i := range want {
					guards[i].check(t, what)
					near(t, what, got[i], want[i], 1e-5)
				}
				for i := range in {
					if !slices.Equal(in[i], c.in[i]) {
						t.Fatalf("%s: changed its input", what)
					}
				}
			}
		}
	}
}

// TestUnfusedPathsAgree: what unfused paths compute has the same bits on all of them.
func TestUnfusedPathsAgree(t *testing.T) {
	const in = 43   // no multiple of 4, so that some inputs are taken one by one
	const rows = 60 // an odd number of blocks, so that one is taken alone
	for _, n := range []int{4, 24, 64, 80} {
		w, bias, x := noise(1, 9*in*n, 1), noise(2, n, 1), noise(3, rows*in, 1)
		var want []float32
		for _, p := range Paths() {
			p = p.Unfused()
			d := NewDense(p, w, in, n)
			product := make([]float32, rows*d.Stride())
			d.Multiply(product, x, rows)
			var got []float32
			for row := range rows {
				got = append(got, product[row*d.Stride():][:n]...)
			}
			p.Rectify(got, bias, rows)
			if n%8 == 0 {
				y := make([]float32, 64*n)
				squares, values, _ := somePlanes(4, in)
				NewPlanes(p, w, bias, in, n).Forward(y, squares, values, new(PlanesScratch))
				mean, most := make([]float32, n), make([]float32, n)
				p.PoolRows(mean, most, y, n)
				got = slices.Concat(got, y, mean, most)
			}
			if want == nil {
				want = got
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s, %d columns: the bits differ from those of %s", p.Name, n, Paths()[0].Name)
			}
		}
	}
}

// TestAdjoints checks the definition of the adjoint A' of a linear map A: (A x).z = x.(A' z) for all
// x and z.
func TestAdjoints(t *testing.T) {
	const channels = 6
	point := pointStride(channels)
	dot := func(a, b []float32) (s float64) {
		for i := range a {
			s += float64(a[i]) * float64(b[i])
		}
		return s
	}
	equal := func(what string, a, b float64) {
		t.Helper()
		if math.Abs(a-b) > 1e-4*(1+math.Abs(a)) {
			t.Errorf("%s: %v and %v", what, a, b)
		}
	}
	x, v := noise(1, 64*channels, 1), make([]float32, points*point)
	z, dx := make([]float32, points*point), make([]float32, 64*channels)
	for p := range points { // skip the gaps between points
		copy(z[p*point:][:tiles*channels], noise(uint64(p), tiles*channels, 1))
	}
	input(v, x, nil, channels, point)
	inputAdjoint(dx, z, nil, channels, point)
	equal("input", dot(v, z), dot(x, dx))

	// With a bias so large that no sum is negative, output is linear.
	y, m := make([]float32, 64*channels), make([]float32, points*point)
	bias := slices.Repeat([]float32{1e4}, channels)
	output(y, z, bias, nil, channels, point)
	ones := slices.Repeat([]float32{1}, len(y))
	g, sum := make([]float32, len(y)), make([]float32, channels)
	outputAdjoint(m, g, sum, x, ones, nil, channels, point)
	raw := make([]float32, len(y))
	for i := range y {
		raw[i] = y[i] - 1e4
	}
	if a, b := dot(raw, x), dot(z, m); math.Abs(a-b) > 1 {
		t.Errorf("output: %v and %v", a, b)
	}

	const in, out = 4, 6
	w, u := noise(3, 9*in*out, 1), make([]float32, points*in*out)
	row := make([]float32, points*out)
	for i := range in {
		filterPoints(row, w, i, in, out)
		for p := range points {
			copy(u[(p*in+i)*out:][:out], row[p*out:])
		}
	}
	du, dw := noise(4, len(u), 1), make([]float32, len(w))
	for i := range in {
		FilterAdjoint(dw, ofChannel(du, i, in, out), i, in, out)
	}
	equal("filter", dot(u, du), dot(w, dw))
}

// ofChannel returns the part of u, [36][in][out], for input channel i.
func ofChannel(u []float32, i, in, out int) []float32 {
	var part []float32
	for p := range points {
		part = append(part, u[(p*in+i)*out:][:out]...)
	}
	return part
}
