package tactics

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"warren/game"
)

// In random games, the steps found are those from which playing everything finds a capture within two
// steps of the turn.
func TestCapturesFindsAll(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 1))
	var c Captures
	found, none := 0, 0
	for range 60 {
		g := game.New()
		for g.Turns() < 60 && !g.Result().Over() {
			legal := g.Legal(nil)
			if !g.InSetup() {
				before, hash := *g.Board(), g.Hash()
				got := slices.Clone(c.Find(g, legal))
				if *g.Board() != before || g.Hash() != hash {
					t.Fatal("the game has changed")
				}
				want := capturing(g, legal)
				if !slices.Equal(got, want) {
					t.Fatalf("found %v, want %v of %v in\n%v", got, want, legal, g.Board())
				}
				if len(want) > 0 {
					found++
				} else {
					none++
				}
			}
			g.Play(legal[rng.IntN(len(legal))])
		}
	}
	if found < 200 || none < 200 {
		t.Errorf("%d positions with captures and %d without", found, none)
	}
}

func capturing(g *game.Game, legal []game.Action) (steps []int) {
	side := g.Side()
	enemies := func(g *game.Game) int { return bits.OnesCount64(g.Board().Color(side.Other())) }
	for i, a := range legal {
		h := g.Clone()
		h.Play(a)
		captures := enemies(h) < enemies(g)
		if h.Side() == side {
			for _, b := range h.Legal(nil) {
				k := h.Clone()
				k.Play(b)
				captures = captures || enemies(k) < enemies(h)
			}
		}
		if captures {
			steps = append(steps, i)
		}
	}
	return steps
}

// Disfavour gives back what Favour was given, whatever the order of the actions.
func TestDisfavour(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	var c Captures
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
		favoured := slices.Clone(c.Favour(g, legal, priors, 0.3))
		if !slices.Equal(favoured, priors) {
			changed++
		}
		mixed, shares := make([]game.Action, len(legal)), make([]float32, len(legal))
		order := rng.Perm(len(legal))
		for i, j := range order {
			mixed[i], shares[i] = legal[j], favoured[j]
		}
		for i, p := range c.Disfavour(g, mixed, shares, 0.3) {
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
