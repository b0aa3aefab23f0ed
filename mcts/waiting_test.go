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
	all := []float32{0, 0, 1}
	limitPass([]game.Action{1, 2, game.Pass}, all, 0.02)
	if want := []float32{0.49, 0.49, 0.02}; !slices.Equal(all, want) {
		t.Errorf("of the whole prior for Pass %v is left, want %v", all, want)
	}
}

// With PruneReversals no position is evaluated with a step that only takes back the one before, except
// the root where that begins a proven win or the search, or where everything else loses.
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
			if back, ok := s.Game().Reversal(); ok && m.Action == back && !s.edges[0].decided() && !s.given {
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

// TestOwnReturnsThatSave: Silver's rabbit is a step from the goal, and only a cat on g2 stops it. Gold has played Ce2w,
// after which the cat still gets there, if it goes back first.
func TestOwnReturnsThatSave(t *testing.T) {
	b, side, err := game.ParsePosition("g [e                                                   C  rR       ]")
	if err != nil {
		t.Fatal(err)
	}
	g := game.FromBoard(b, side)
	west, err := game.ParseSteps(g, "Ce2w")
	if err != nil {
		t.Fatal(err)
	}
	s := New(MatchConfig(), 3000)
	check := func(name string) {
		t.Helper()
		run(s, 1000, uniform)
		if s.Proof() == Lost {
			t.Errorf("%s: said to be lost", name)
		}
		back, _ := s.Game().Reversal()
		if out, ok := s.Outcome(0, nil); !ok || out.Action != back {
			t.Errorf("%s: plays %v, which loses", name, out.Action)
		}
	}
	s.Reset(g)
	s.Advance(west[0])
	check("a new root")

	s.Reset(g)
	run(s, 1000, uniform)
	s.Advance(west[0])
	s.Begin(0, nil)
	check("a root that was kept")

	s.Reset(g)
	run(s, 1000, uniform)
	after := g.Clone()
	after.Play(west[0])
	if !s.AdvanceTo(after) {
		t.Fatal("the tree does not know the step")
	}
	s.Begin(0, nil)
	check("a root that was found in the tree")

	s.Reset(g)
	s.Advance(west[0])
	run(s, 1, uniform)
	for _, m := range s.Root(nil) {
		s.Refute(m.Action)
	}
	check("a root whose actions are refuted")
}

// TestProofsWithinTheTurn: once a step has been played, what is proven holds for what can still be played.
func TestProofsWithinTheTurn(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 16))
	config := MatchConfig()
	s := New(config, 4000)
	lost, longer, saved := 0, 0, 0
	for range 400 {
		g := duel(rng)
		s.Reset(g)
		run(s, 1+rng.IntN(300), uniform)
		for len(s.nodes) > 0 && s.Game().Side() == g.Side() {
			legal := s.Game().Legal(nil)
			s.Advance(legal[rng.IntN(len(legal))])
			if s.Game().Result().Over() || s.Game().Side() != g.Side() {
				break
			}
			s.Begin(0, nil)
			run(s, 300, uniform)
			if s.Proof() == Lost {
				at := s.Game().Clone()
				switch winner := g.Side().Other(); {
				case forced(at, winner, 2, map[uint64]bool{}), forced(at, winner, 3, map[uint64]bool{}):
					lost++
				case forced(at, g.Side(), 3, map[uint64]bool{}):
					t.Fatalf("said to be lost\n%s", game.FormatDiagram(at.Board(), at.TurnLabel()))
				default:
					longer++ // than can be checked
				}
			} else if s.given {
				saved++
			}
		}
	}
	if lost < 100 || saved == 0 {
		t.Errorf("%d are lost, and a return saves %d: too few to tell", lost, saved)
	}
}

// TestProofsOutlastTheOpponentsTurn: what is proven to be won is won still when the opponent has played, step by step.
func TestProofsOutlastTheOpponentsTurn(t *testing.T) {
	rng := rand.New(rand.NewPCG(17, 18))
	config := MatchConfig()
	config.WinTestSteps = 0 // which would prove it again, without a tree
	s := New(config, 4000)
	kept := 0
	for range 1000 {
		g := duel(rng)
		s.Reset(g)
		run(s, 2000, hashed)
		if s.Proof() != Lost {
			continue
		}
		for s.Game().Side() == g.Side() && len(s.nodes) > 0 {
			s.Advance(s.actions[s.mostVisited(0)])
		}
		if len(s.nodes) == 0 {
			continue // no position was searched there
		}
		kept++
		if s.Proof() != Won {
			t.Fatalf("the proof is %d after the turn, want %d\n%s", s.Proof(), Won, game.FormatDiagram(g.Board(), g.TurnLabel()))
		}
	}
	if kept < 20 {
		t.Errorf("only %d trees were kept: too few to tell", kept)
	}
}
