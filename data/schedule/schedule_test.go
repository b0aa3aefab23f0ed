package schedule

import (
	"math/rand/v2"
	"testing"
)

func TestByGame(t *testing.T) {
	for _, c := range []struct {
		v      ByGame[float64]
		number uint64
		want   float64
	}{
		{ByGame[float64]{0.5, 0, 100}, 0, 0.5},
		{ByGame[float64]{0.5, 0, 100}, 50, 0.25},
		{ByGame[float64]{0.5, 0, 100}, 99, 0.005},
		{ByGame[float64]{0.5, 0, 100}, 100, 0},
		{ByGame[float64]{0.5, 0, 100}, 1 << 63, 0},
		{ByGame[float64]{0.5, 0.25, 0}, 0, 0.25},
	} {
		if got := c.v.At(c.number); got != c.want {
			t.Errorf("%+v: game %d has %g, want %g", c.v, c.number, got, c.want)
		}
	}
}

// Whole numbers that rise are those of whole-number arithmetic: a game has the same visits on every machine.
func TestByGameOfWholeNumbers(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 100_000 {
		v := ByGame[int]{Initial: rng.IntN(1000), Games: 1 + rng.IntN(1_000_000)}
		v.Final = v.Initial + rng.IntN(1000)
		number := rng.IntN(v.Games)
		if want := v.Initial + (v.Final-v.Initial)*number/v.Games; v.At(uint64(number)) != want {
			t.Fatalf("%+v: game %d has %d, want %d", v, number, v.At(uint64(number)), want)
		}
	}
}
