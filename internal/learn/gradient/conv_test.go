package gradient

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"warren/internal/kernel"
)

func TestConv(t *testing.T) {
	for _, shape := range []struct{ boards, in, out int }{{1, 8, 8}, {3, 32, 16}, {2, 16, 24}, {5, 24, 64}, {50, 8, 8}} {
		for _, extra := range []bool{false, true} {
			t.Run(fmt.Sprint(shape, extra), func(t *testing.T) {
				boards, in, out := shape.boards, shape.in, shape.out
				rng := rand.New(rand.NewPCG(1, uint64(in)))
				x, w := numbers(rng, boards*squares*in, 1), numbers(rng, 9*in*out, 0.2)
				bias, dy := numbers(rng, out, 1), numbers(rng, boards*squares*out, 1)
				var boardBias, residual []float32
				if extra {
					boardBias, residual = numbers(rng, boards*out, 1), numbers(rng, boards*squares*out, 1)
				}
				c := NewConv(kernel.Best(), boards, in, out, NewWorkers(2), new(Space))
				y := numbers(rng, boards*squares*out, 1)
				c.Forward(x, w, bias, boardBias, residual, y)
				near(t, "y", y, naiveConv(boards, in, out, x, w, bias, boardBias, residual), 1e-5)

				want := naiveConvBackward(boards, in, out, x, w, y, dy)
				dx, dw, dBias := numbers(rng, len(x), 1), numbers(rng, len(w), 1), numbers(rng, out, 1)
				var dBoardBias, dResidual []float32
				if extra {
					dBoardBias, dResidual = numbers(rng, boards*out, 1), numbers(rng, len(y), 1)
				}
				c.Backward(x, w, y, dy, dx, dw, dBias, dBoardBias, dResidual)
				near(t, "dx", dx, want.dx, 1e-5)
				near(t, "dw", dw, want.dw, 1e-5)
				near(t, "dBias", dBias, want.dBias, 1e-5)
				if extra {
					near(t, "dBoardBias", dBoardBias, want.dBoardBias, 1e-5)
					near(t, "dResidual", dResidual, want.dResidual, 0)
				}

				again := numbers(rng, len(w), 1)
				c.Backward(x, w, y, dy, nil, again, dBias, dBoardBias, dResidual)
				same(t, "dw with and without dx", again, dw)
			})
		}
	}
}

func TestConvWorkers(t *testing.T) {
	for _, path := range kernel.Paths() {
		testConvWorkers(t, path)
	}
}

func testConvWorkers(t *testing.T, path *kernel.Path) {
	const boards, in, out = 50, 16, 24
	rng := rand.New(rand.NewPCG(2, 2))
	x, w := numbers(rng, boards*squares*in, 1), numbers(rng, 9*in*out, 0.2)
	bias, dy := numbers(rng, out, 1), numbers(rng, boards*squares*out, 1)
	type result struct{ y, dx, dw, dBias []float32 }
	run := func(n int) result {
		c := NewConv(path, boards, in, out, NewWorkers(n), new(Space))
		r := result{make([]float32, len(dy)), make([]float32, len(x)), make([]float32, len(w)), make([]float32, out)}
		c.Forward(x, w, bias, nil, nil, r.y)
		c.Backward(x, w, r.y, dy, r.dx, r.dw, r.dBias, nil, nil)
		return r
	}
	one := run(1)
	for _, n := range []int{2, 3, 5} {
		many := run(n)
		same(t, "y", many.y, one.y)
		same(t, "dx", many.dx, one.dx)
		same(t, "dw", many.dw, one.dw)
		same(t, "dBias", many.dBias, one.dBias)
	}
}
