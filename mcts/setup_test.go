package mcts

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"warren/game"
)

// rising returns priors in the proportion 1, 2, 3, ... for the actions of a leaf, and the value of its number of pieces.
func rising(leaf *Leaf) Evaluation {
	n := len(leaf.Legal)
	e := Evaluation{Value: chanceOf(leaf.Game)}
	for i := range n {
		e.Priors = append(e.Priors, float32(i+1)/float32(n*(n+1)/2))
	}
	return e
}

func chanceOf(g *game.Game) float32 {
	n := 0
	for s := game.Square(0); s < 64; s++ {
		if _, _, ok := g.Board().At(s); ok {
			n++
		}
	}
	return float32(1+n) / 64
}

// finishSetup evaluates every leaf of a setup.
func finishSetup(t *testing.T, s *Setup) []Placement {
	for {
		leaf, status := s.Select()
		if status != Evaluate {
			if status != Finished {
				t.Errorf("status %v at the end of a setup", status)
			}
			return s.Placements()
		}
		if len(leaf.Legal) == 1 {
			t.Errorf("the evaluation of a forced placement: %v", leaf.Game.Board())
		}
		s.Expand(leaf, rising(leaf))
	}
}

// TestSetupIsWhole: a setup is completed from any position within it, for one side, with the value of each position that
// was evaluated.
func TestSetupIsWhole(t *testing.T) {
	for _, placed := range []int{0, 5, 16, 25} {
		g := game.New()
		for range placed {
			g.Play(g.Legal(nil)[0])
		}
		var s Setup
		s.Begin(g, 1, rand.New(rand.NewPCG(1, uint64(placed))))
		side := g.Side()
		for i, p := range finishSetup(t, &s) {
			legal := g.Legal(nil)
			if !slices.Contains(legal, p.Action) || g.Side() != side {
				t.Fatalf("after %d placements: placement %d is %d", placed, i, p.Action)
			}
			want := chanceOf(g)
			if len(legal) == 1 {
				want = 0
			}
			if p.Chance != want {
				t.Errorf("after %d placements: placement %d has the chance %g, want %g", placed, i, p.Chance, want)
			}
			g.Play(p.Action)
		}
		if g.InSetup() && g.Side() == side {
			t.Errorf("after %d placements: the setup is not complete", placed)
		}
	}
}

// TestSetupTemperature: placements have the probability prior^(1/temperature), and only the likeliest is
// left at temperature 0.
func TestSetupTemperature(t *testing.T) {
	for _, temperature := range []float64{0, 1, 3} {
		var s Setup
		rng := rand.New(rand.NewPCG(5, 6))
		sum, counts := 0.0, map[game.Action]int{}
		for i := range 6 {
			sum += math.Pow(float64(i+1), 1/temperature)
		}
		for range 3000 {
			s.Begin(game.New(), temperature, rng)
			counts[finishSetup(t, &s)[0].Action]++
		}
		for i, a := range game.New().Legal(nil) {
			want := 3000 * math.Pow(float64(i+1), 1/temperature) / sum
			if temperature == 0 {
				want = float64(i / 5 * 3000)
			}
			if got := float64(counts[a]); math.Abs(got-want) > 4*math.Sqrt(want)+1 {
				t.Errorf("temperature %g: action %d %g times of 3000, want about %.0f", temperature, i, got, want)
			}
		}
	}
}

// TestSetupHandsOutALeafOnce: while the leaf is out, there is nothing to take; one that is cancelled comes again, and one
// from before Begin has no effect.
func TestSetupHandsOutALeafOnce(t *testing.T) {
	var s Setup
	begin := func() { s.Begin(game.New(), 1, rand.New(rand.NewPCG(1, 1))) }
	begin()
	a, _ := s.Select()
	if _, status := s.Select(); status != Wait {
		t.Fatalf("a second leaf: %v", status)
	}
	s.Cancel(a)
	if again, status := s.Select(); again != a || status != Evaluate {
		t.Errorf("a cancelled leaf does not come again: %v", status)
	}
	s.Expand(a, rising(a))
	s.Expand(a, rising(a)) // has no effect: it is not out
	if n := len(s.Placements()); n != 1 {
		t.Errorf("%d placements after one evaluation", n)
	}
	s.Select()
	begin()
	if _, status := s.Select(); status != Evaluate {
		t.Errorf("the first leaf after Begin: %v", status)
	}
	s.Expand(a, rising(a))
	if n := len(s.Placements()); n != 0 {
		t.Errorf("a void leaf made %d placements", n)
	}
	if _, status := s.Select(); status != Wait {
		t.Errorf("a void leaf took the place of the one that is out: %v", status)
	}
}

// TestSetupOfSmallPriors: something is drawn whatever the priors are, and what is unlikely stays so.
func TestSetupOfSmallPriors(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for _, likely := range []float32{0, 1} {
		counts := map[game.Action]int{}
		for range 300 {
			var s Setup
			s.Begin(game.New(), 1, rng)
			leaf, _ := s.Select()
			e := Evaluation{Priors: make([]float32, len(leaf.Legal))}
			e.Priors[2] = likely
			s.Expand(leaf, e)
			counts[s.Placements()[0].Action]++
		}
		if n := counts[game.PlaceAction(game.Dog)]; likely == 0 && len(counts) != 6 || likely == 1 && n != 300 {
			t.Errorf("with a prior of %g for a dog and of 0 for all else the first placements are %v", likely, counts)
		}
	}
}
