package mcts

import (
	"math/rand/v2"
	"testing"

	"warren/game"
	"warren/game/tactics"
)

// The tests of a leaf have one budget: what the search for a win spends is missing in that for a loss.
func TestWinTestsShareABudget(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 9))
	for met := 0; met < 10; {
		g := duel(rng)
		turn, won := new(tactics.Finder).Winning(g, tactics.Unbounded)
		lost, enough := new(tactics.Finder).Losing(g, tactics.Unbounded)
		if turn != nil || won == 0 || !lost {
			continue
		}
		met++
		for missing, want := range []bool{true, false} {
			config := MatchConfig()
			config.WinTestSteps = int(won+enough) - missing
			if _, known := New(config, 10).test(g, &Leaf{}); known != want {
				t.Errorf("%d and %d steps are needed: with %d the loss is found: %v\n%v", won, enough, config.WinTestSteps, known, g.Board())
			}
		}
	}
}

// In a quiet node nobody wins by the tests, whichever order of steps led there.
func TestQuietNodes(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 5))
	config := DefaultConfig()
	quiet, forced, others := 0, 0, 0
	for i := range 300 {
		s := New(config, 2000)
		if i%2 == 0 {
			s.Reset(duel(rng))
		} else {
			s.Reset(randomGame(rng, 100+rng.IntN(200)))
		}
		run(s, 300, uniform)
		if len(s.nodes) == 0 {
			continue
		}
		var walk func(g *game.Game, at int32)
		walk = func(g *game.Game, at int32) {
			n := &s.nodes[at]
			switch {
			case !n.quiet:
				others++
			case tactics.Winning(g) != nil:
				t.Fatalf("%v (forced: %v): %v wins\n%v", g.TurnLabel(), n.forced, g.Side(), g.Board())
			case n.forced:
				forced++
			default:
				quiet++
				if lost, _ := new(tactics.Finder).Losing(g, tactics.Unbounded); lost {
					t.Fatalf("%v: %v loses\n%v", g.TurnLabel(), g.Side(), g.Board())
				}
			}
			for e, end := n.span(); e < end; e++ {
				if child := s.edges[e].node(); child > 0 {
					next := g.Clone()
					next.Play(s.actions[e])
					walk(next, child)
				}
			}
		}
		walk(s.game, 0)
	}
	if quiet < 1000 || forced < 20 || others < 20 {
		t.Errorf("%d quiet nodes, %d quiet forced ones and %d others: too few to tell", quiet, forced, others)
	}
}
