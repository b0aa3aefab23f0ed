package mcts

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"warren/game"
)

// What favour did is undone, in any order of the actions.
func TestDisfavour(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	config := AlphaZeroConfig()
	config.CapturePrior = 0.3
	s := New(config, 1)
	changed := 0
	g := game.New()
	for range 4000 {
		if g.Result().Over() {
			g = game.New()
		}
		legal := g.Legal(nil)
		priors := make([]float32, len(legal))
		for i := range priors {
			priors[i] = rng.Float32() / float32(len(legal))
		}
		favoured := slices.Clone(priors)
		if s.favour(g, legal, favoured); !slices.Equal(favoured, priors) {
			changed++
		}
		mixed, shares := make([]game.Action, len(legal)), make([]float32, len(legal))
		order := rng.Perm(len(legal))
		for i, j := range order {
			mixed[i], shares[i] = legal[j], favoured[j]
		}
		s.disfavour(g, mixed, shares)
		for i, p := range shares {
			if want := priors[order[i]]; math.Abs(float64(p-want)) > 1e-6 {
				t.Fatalf("a prior of %g becomes %g", want, p)
			}
		}
		g.Play(legal[rng.IntN(len(legal))])
	}
	if changed == 0 {
		t.Error("no position has captures")
	}
}
