package mcts

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"warren/game"
)

// The prior of Pass is limited in every node, and the others share what it loses in proportion.
func TestPassPrior(t *testing.T) {
	config := AlphaZeroConfig()
	plain := New(config, 1000)
	config.PassPrior = 0.02
	limited := New(config, 1000)
	seen := 0
	for _, g := range positions(t) {
		if g.InSetup() || g.Result().Over() {
			continue
		}
		if g.StepsLeft() == 4 {
			g.Play(g.Legal(nil)[0])
		}
		if !slices.Contains(g.Legal(nil), game.Pass) {
			continue
		}
		plain.Reset(g)
		limited.Reset(g)
		run(plain, 1, hashed)
		run(limited, 1, hashed)
		of := func(s *Search) map[game.Action]float64 {
			priors := map[game.Action]float64{}
			for _, m := range s.Root(nil) {
				priors[m.Action] = float64(m.Prior)
			}
			return priors
		}
		before, after := of(plain), of(limited)
		if before[game.Pass] <= 0.02 {
			continue
		}
		seen++
		scale := 0.98 / (1 - before[game.Pass])
		for a, p := range before {
			want := scale * p
			if a == game.Pass {
				want = 0.02
			}
			if math.Abs(after[a]-want) > 1e-6 {
				t.Fatalf("the prior of %v is %g, want %g", a, after[a], want)
			}
		}
	}
	if seen == 0 {
		t.Error("no position has a large prior for Pass")
	}
}

// With PruneReversals no position is evaluated with a step that only takes back the one before, except
// the root where that begins a proven win or the search.
func TestSkipReturns(t *testing.T) {
	config := MatchConfig()
	config.PruneReversals = true
	s := New(config, 2000)
	rng := rand.New(rand.NewPCG(8, 1))
	left := 0
	evaluate := func(g *game.Game, legal []game.Action, priors []float32) float32 {
		for _, a := range g.Legal(nil) {
			if !slices.Contains(legal, a) {
				left++
				if back, ok := g.Reversal(); !ok || a != back {
					t.Fatalf("%v is left out, which takes nothing back", a)
				}
			}
		}
		return uniform(g, legal, priors)
	}
	for range 40 {
		g := randomGame(rng, 60+rng.IntN(200))
		if g.Result().Over() {
			continue
		}
		s.Reset(g)
		run(s, 200, evaluate)
		if len(s.nodes) == 0 {
			continue
		}
		if n := len(g.Legal(nil)); len(s.Root(nil)) != n {
			t.Errorf("the root has %d of %d actions", len(s.Root(nil)), n)
		}
		out, _ := s.Outcome(0, nil)
		s.Advance(out.Action)
		run(s, 200, evaluate)
		for _, m := range s.Root(nil) {
			if back, ok := s.Game().Reversal(); ok && m.Action == back && !s.edges[0].decided() {
				t.Errorf("the root has %v, which takes back the step before", m.Action)
			}
		}
	}
	if left == 0 {
		t.Error("no step was left out")
	}
}

// TestReturnsThatSave: a person who has moved a rabbit away from a goal it guards can take
// that back and play on, which is the only way not to lose.
func TestReturnsThatSave(t *testing.T) {
	b, side, err := game.ParsePosition("g [                    r               R       m    R              ]")
	if err != nil {
		t.Fatal(err)
	}
	g := game.FromBoard(b, side)
	steps, err := game.ParseSteps(g, "Rb2e")
	if err != nil {
		t.Fatal(err)
	}
	g.Play(steps[0])
	s := New(MatchConfig(), 3000)
	s.Reset(g)
	run(s, 1000, uniform)
	if s.Proof() == Lost {
		t.Error("said to be lost")
	}
	back, _ := g.Reversal()
	if out, _ := s.Outcome(0, nil); out.Action != back {
		t.Errorf("plays %s, which loses", game.FormatTurn(g, []game.Action{out.Action}))
	}
}
