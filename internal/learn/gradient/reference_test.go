package gradient

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The references follow the definitions, in float64 and without optimization.

func numbers(rng *rand.Rand, n int, scale float64) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(scale * rng.NormFloat64())
	}
	return x
}

// neighbours calls f for each square, filter tap and square under the tap.
func neighbours(f func(to, tap, from int)) {
	for to := range squares {
		for tap := range 9 {
			r, c := to/8+tap/3-1, to%8+tap%3-1
			if r >= 0 && r < 8 && c >= 0 && c < 8 {
				f(to, tap, r*8+c)
			}
		}
	}
}

func naiveConv(boards, in, out int, x, w, bias, boardBias, residual []float32) []float64 {
	y := make([]float64, boards*squares*out)
	for b := range boards {
		neighbours(func(to, tap, from int) {
			for ci := range in {
				for co := range out {
					y[(b*squares+to)*out+co] += float64(x[(b*squares+from)*in+ci]) * float64(w[(tap*in+ci)*out+co])
				}
			}
		})
	}
	for i := range y {
		y[i] += float64(bias[i%out])
		if boardBias != nil {
			y[i] += float64(boardBias[i/(squares*out)*out+i%out])
		}
		if residual != nil {
			y[i] += float64(residual[i])
		}
		y[i] = max(0, y[i])
	}
	return y
}

type convGradients struct{ dx, dw, dBias, dBoardBias, dResidual []float64 }

func naiveConvBackward(boards, in, out int, x, w, y, dy []float32) convGradients {
	g := convGradients{
		make([]float64, len(x)), make([]float64, len(w)), make([]float64, out),
		make([]float64, boards*out), make([]float64, len(y)),
	}
	for i, v := range y {
		if v > 0 {
			g.dResidual[i] = float64(dy[i])
			g.dBias[i%out] += float64(dy[i])
			g.dBoardBias[i/(squares*out)*out+i%out] += float64(dy[i])
		}
	}
	for b := range boards {
		neighbours(func(to, tap, from int) {
			for ci := range in {
				for co := range out {
					d := g.dResidual[(b*squares+to)*out+co]
					g.dx[(b*squares+from)*in+ci] += d * float64(w[(tap*in+ci)*out+co])
					g.dw[(tap*in+ci)*out+co] += d * float64(x[(b*squares+from)*in+ci])
				}
			}
		})
	}
	return g
}

// near fails the test unless got equals want to within tolerance times want's
// largest value.
func near(t *testing.T, name string, got []float32, want []float64, tolerance float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d numbers, want %d", name, len(got), len(want))
	}
	most, worst, at := 0.0, 0.0, 0
	for i, w := range want {
		most = max(most, math.Abs(w))
		if d := math.Abs(float64(got[i]) - w); !(d <= worst) {
			worst, at = d, i
		}
	}
	if !(worst <= tolerance*most) {
		t.Errorf("%s: element %d is %g, want %g (largest %g)", name, at, got[at], want[at], most)
	}
}

func same(t *testing.T, name string, a, b []float32) {
	t.Helper()
	for i := range a {
		if math.Float32bits(a[i]) != math.Float32bits(b[i]) {
			t.Errorf("%s: element %d is %g and %g", name, i, a[i], b[i])
			return
		}
	}
}
