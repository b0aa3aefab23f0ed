package quant

import (
	"log/slog"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
)

// layer computes a convolution of random boards with a residual by random weights. Many numbers are as large
// as can be. It returns the results, and the products of the last group and strip, which are not rounded
// to so few bits.
func layer(u *Unit, in, out, boards int) (results []int16, products []float32) {
	r := rand.New(rand.NewPCG(uint64(in), uint64(out)))
	numbers := func(n int) []int16 {
		x := make([]int16, n)
		for i := range x {
			if x[i] = int16(r.IntN(Top)); r.IntN(4) == 0 {
				x[i] = Top
			}
		}
		return x
	}
	even := func(n int, step float32) Format {
		f := Format{make([]float32, n)}
		for i := range f.Step {
			f.Step[i] = step
		}
		return f
	}
	w, bias := make([]float32, 9*in*out), make([]float32, out)
	for i := range w {
		w[i] = float32(math.Exp(r.NormFloat64())) * float32(r.IntN(3)-1)
	}
	c := NewConv(u, w, bias, in, out, even(in, 1))
	c.Fit(even(out, float32(9*in)), even(out, 1))
	x, residual, y := numbers(boards*64*Rounded(in)), numbers(boards*64*Rounded(out)), make([]int16, boards*64*Rounded(out))
	var s Scratch
	c.Forward(y, x, nil, residual, boards, &s)
	return y, s.m
}

// OnTiles returns a unit that multiplies on the processor's tile unit (AMX) where the number of inputs is a
// multiple of 64. The error says why there is none. The first call asks Linux for it, for the whole
// process, and compares its results with those of plain Go.
func OnTiles() (*Unit, error) { return onTiles() }

var onTiles = sync.OnceValues(func() (*Unit, error) {
	u, err := tileUnit()
	if err != nil {
		return nil, err
	}
	return trusted(u, Units()[0]), nil
})

// trusted returns u if its results are those of plain Go, and otherwise the other, with a line
// in the log. Few processors have run the assembly for tiles; tests execute it on a machine in plain Go.
func trusted(u, otherwise *Unit) *Unit {
	for _, c := range []struct{ in, out, boards int }{{64, 64, 5}, {128, 80, 3}} {
		results, products := layer(u, c.in, c.out, c.boards)
		if y, m := layer(&plain, c.in, c.out, c.boards); !slices.Equal(results, y) || !slices.Equal(products, m) {
			slog.Warn("the tile unit's results differ from those of plain Go, so whole numbers are computed without it; please report this with the processor's name",
				"inputs", c.in, "outputs", c.out, "instead", otherwise.name)
			return otherwise
		}
	}
	return u
}
