package quant

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// guarded is memory with canaries around it, because the assembly does not check bounds.
type guarded[T int16 | float32] struct {
	all []T
	n   int
}

const canary = 12345

func guard[T int16 | float32](x []T) *guarded[T] {
	g := &guarded[T]{slices.Repeat([]T{canary}, len(x)+128), len(x)}
	copy(g.mid(), x)
	return g
}

// mid returns the memory between the canaries, which is aligned only to a single number.
func (g *guarded[T]) mid() []T { return g.all[65:][:g.n] }

// equal fails the test if the memory differs from want, or the canaries are dead.
func (g *guarded[T]) equal(t *testing.T, what string, want []T) {
	t.Helper()
	for i, v := range g.all {
		if (i < 65 || i >= 65+g.n) && v != canary {
			t.Fatalf("%s: wrote out of bounds, at %d of %d", what, i-65, g.n)
		}
	}
	for i, v := range g.mid() {
		if v != want[i] {
			t.Fatalf("%s: element %d is %v, want %v", what, i, v, want[i])
		}
	}
}

// extreme returns whole numbers, of which many are as large as can be.
func extreme(r *rand.Rand, n int, least int16) []int16 {
	x := make([]int16, n)
	for i := range x {
		switch r.IntN(4) {
		case 0:
			x[i] = math.MaxInt16
		case 1:
			x[i] = least
		default:
			x[i] = max(least, int16(r.Int32()))
		}
	}
	return x
}

func forUnits(t *testing.T, check func(t *testing.T, u *Unit, channels int, r *rand.Rand)) {
	for _, u := range assembly() {
		t.Run(u.name, func(t *testing.T) {
			for _, channels := range []int{16, 32, 48, 64, 80, 112, 128, 256, 512} {
				check(t, u, channels, rand.New(rand.NewPCG(1, uint64(channels))))
			}
		})
	}
}

func TestInputEqualsTwin(t *testing.T) {
	forUnits(t, func(t *testing.T, u *Unit, channels int, r *rand.Rand) {
		point := pointStride(channels)
		line := make([]float32, lineSize)
		x, v := extreme(r, 64*channels, 0), extreme(r, points*point, 0)
		got := guard(v)
		u.input(got.mid(), slices.Clone(x), line, channels, point)
		input(v, x, nil, channels, point)
		got.equal(t, fmt.Sprint(channels, " channels"), v)
	})
}

func TestOutputEqualsTwin(t *testing.T) {
	forUnits(t, func(t *testing.T, u *Unit, square int, r *rand.Rand) {
		channels := min(square, 48) // of a strip
		point := pointStride(channels)
		line := make([]float32, lineSize)
		for scale := 1.; scale < 1e8; scale *= 20 { // from all zeros to all too large
			m, bias, ratio := noise(r, points*point, scale), noise(r, channels, scale), noise(r, channels, 1)
			board := extreme(r, 63*square+channels, 0)
			own, got := slices.Clone(board), guard(board)
			u.output(got.mid(), m, bias, line, channels, square, point)
			output(own, m, bias, nil, channels, square, point)
			got.equal(t, fmt.Sprint("output of ", square, " channels, ", scale), own)

			residual := extreme(r, 63*square+channels, 0)
			got = guard(board)
			u.outputAdd(got.mid(), m, bias, residual, ratio, line, channels, square, point)
			outputAdd(own, m, bias, residual, ratio, nil, channels, square, point)
			got.equal(t, fmt.Sprint("outputAdd of ", square, " channels, ", scale), own)

			got = guard(residual)
			u.outputAdd(got.mid(), m, bias, got.mid(), ratio, line, channels, square, point)
			own = slices.Clone(residual)
			outputAdd(own, m, bias, own, ratio, nil, channels, square, point)
			got.equal(t, fmt.Sprint("outputAdd in place of ", square, " channels, ", scale), own)
		}
	})
}

func TestProductEqualsTwin(t *testing.T) {
	forUnits(t, func(t *testing.T, u *Unit, n int, r *rand.Rand) {
		for _, k := range []int{16, 48, 64, 128} {
			for _, blocks := range []int{1, 2, 3, 5} {
				rows, weights := make([]int16, n*k), make([]float64, k)
				for o := range n {
					for i := range weights {
						weights[i] = math.Exp(float64(o%7) * r.NormFloat64())
						if r.IntN(2) == 0 {
							weights[i] = -weights[i]
						}
					}
					quantize(rows[o*k:][:k], weights)
				}
				a, scale := extreme(r, blocks*(4*k+32), math.MinInt16), noise(r, n, 1)
				aBlock, cBlock := 4*k+32, 4*n+16
				c := noise(r, blocks*cBlock, 1)
				got := guard(c)
				for unit, c := range map[*Unit][]float32{u: got.mid(), &plain: c} {
					packed := make([]int16, n*k)
					unit.pack(packed, rows, k, n)
					unit.multiply(n, c, a, packed, scale, k, blocks, aBlock, cBlock, n)
				}
				got.equal(t, fmt.Sprintf("%d blocks, %d by %d", blocks, k, n), c)
			}
		}
	})
}

func TestRowsEqualTwin(t *testing.T) {
	forUnits(t, func(t *testing.T, u *Unit, channels int, r *rand.Rand) {
		x, none := extreme(r, 64*channels, 0), make([]int16, channels)
		mean, most := guard(none), guard(none)
		u.pool(mean.mid(), most.mid(), x, channels)
		wantMean, wantMost := make([]int16, channels), make([]int16, channels)
		pool(wantMean, wantMost, x, channels)
		mean.equal(t, "mean", wantMean)
		most.equal(t, "most", wantMost)

		y, floats, bias, scale := make([]int16, 5*channels), noise(r, 5*channels, 1e5), noise(r, channels, 1e5), noise(r, channels, 1)
		got := guard(y)
		u.narrow(got.mid(), floats, bias, scale, 5)
		narrow(y, floats, bias, scale, 5)
		got.equal(t, "narrow", y)
	})
}
