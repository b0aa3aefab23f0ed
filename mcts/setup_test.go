package mcts

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"warren/game"
)

// rising returns priors in the proportion 1, 2, 3, ... for the actions of a leaf.
func rising(leaf *Leaf) Evaluation {
	n := len(leaf.Legal)
	e := Evaluation{Value: 0.5}
	for i := range n {
		e.Priors = append(e.Priors, float32(i+1)/float32(n*(n+1)/2))
	}
	return e
}

// finishSetup evaluates every leaf of a setup, several at a time.
// Forced placements must need none.
func finishSetup(t *testing.T, s *Setup, evaluate func(*Leaf) Evaluation) {
	for {
		var leaves []*Leaf
		for len(leaves) < 3 {
			leaf, status := s.Select()
			if status != Evaluate {
				break
			}
			if len(leaf.Legal) == 1 {
				t.Errorf("the evaluation of a forced placement: %v", leaf.Game.Board())
			}
			leaves = append(leaves, leaf)
		}
		if len(leaves) == 0 {
			return
		}
		for _, leaf := range leaves {
			s.Expand(leaf, evaluate(leaf))
		}
	}
}

// elephants values complete setups by the files of the elephants, and nothing else.
func elephants(leaf *Leaf) Evaluation {
	e := rising(leaf)
	if !leaf.Game.InSetup() {
		e.Value = 0.5 + float32(elephant(leaf.Game, game.Gold))/20 - float32(elephant(leaf.Game, game.Silver))/30
	}
	return e
}

// elephant returns the file of a side's elephant.
func elephant(g *game.Game, side game.Color) int {
	for s := game.Square(0); s < 64; s++ {
		if c, k, ok := g.Board().At(s); ok && c == side && k == game.Elephant {
			return s.File()
		}
	}
	return -1
}

// halfSetup returns the position after the first placements of both sides or of one.
func halfSetup(placements int) *game.Game {
	g := game.New()
	for range placements {
		g.Play(g.Legal(nil)[0])
	}
	return g
}

// TestSetupWeighsWholeSetups: samples are complete setups, judged with the same answers. Their weights are those of a policy
// target, and each placement has the share of the samples that make it.
func TestSetupWeighsWholeSetups(t *testing.T) {
	for _, placed := range []int{0, 5, 16, 25} {
		g := halfSetup(placed)
		s := NewSetup(Config{PolicyTargetScale: 7})
		s.Begin(g, 40, 1, rand.New(rand.NewPCG(1, uint64(placed))))
		judged := 0
		finishSetup(t, s, func(leaf *Leaf) Evaluation {
			if !leaf.Game.InSetup() {
				judged++
			}
			return elephants(leaf)
		})
		if want := map[game.Color]int{game.Gold: 160, game.Silver: 40}[g.Side()]; judged != want {
			t.Errorf("after %d placements: %d values of complete positions, want %d", placed, judged, want)
		}
		var weights []float64
		var rest float64 // what the other side's elephants add to the chance
		for i := range s.samples {
			c := &s.samples[i]
			play := g.Clone()
			for _, a := range c.placements {
				if !slices.Contains(play.Legal(nil), a) || play.Side() != g.Side() {
					t.Fatalf("after %d placements: a sample is %v", placed, c.placements)
				}
				play.Play(a)
			}
			if play.InSetup() && play.Side() == g.Side() {
				t.Errorf("after %d placements: a sample ends within the setup", placed)
			}
			own := float64(elephant(play, g.Side())) / 20
			if g.Side() == game.Silver {
				own = float64(elephant(play, g.Side())) / 30
			}
			if i == 0 {
				rest = c.chance - own
			}
			if math.Abs(c.chance-own-rest) > 1e-6 {
				t.Errorf("after %d placements: sample %d has the chance %g, %g of it by its elephant, and others have %g more", placed, i, c.chance, own, rest)
			}
			weights = append(weights, math.Exp(7*own))
		}
		if want := 0.5 + float64(elephant(g, game.Gold))/20; placed >= 16 && math.Abs(1-rest-want) > 1e-6 {
			t.Errorf("after %d placements: Gold's chance is %g less Silver's elephant, want %g", placed, 1-rest, want)
		}
		chosen := s.Choose()
		for n := range chosen {
			var all, with, won float64
			counts := map[game.Action]int{}
			for i := range s.samples {
				if p := s.samples[i].placements; slices.Equal(p[:n], chosen[:n]) {
					all += weights[i]
					won += weights[i] * s.samples[i].chance
					counts[p[n]]++
					if p[n] == chosen[n] {
						with += weights[i]
					}
				}
			}
			stats, chance := s.Stats(chosen[:n], nil)
			if math.Abs(float64(chance)-won/all) > 1e-6 || len(stats) != len(counts) {
				t.Fatalf("placement %d of %d: chance %g, want %g; %v, want %v", n, placed, chance, won/all, stats, counts)
			}
			for i, m := range stats {
				if m.Samples != counts[m.Action] || i > 0 && m.Action <= stats[i-1].Action {
					t.Errorf("placement %d of %d: %v, want %v", n, placed, stats, counts)
				}
				if m.Action == chosen[n] && math.Abs(float64(m.Share)-with/all) > 1e-6 {
					t.Errorf("placement %d of %d: share %g, want %g", n, placed, m.Share, with/all)
				}
			}
		}
	}
}

// TestSetupIsDrawnByItsWeight: the best setup of many is drawn most of the time if values count much, and no more often
// than others if they do not count.
func TestSetupIsDrawnByItsWeight(t *testing.T) {
	for _, test := range []struct {
		scale       float64
		least, most int
	}{{0, 0, 60}, {80, 190, 200}} {
		s := NewSetup(Config{PolicyTargetScale: test.scale})
		s.Begin(game.New(), 30, 1, rand.New(rand.NewPCG(3, 4)))
		finishSetup(t, s, elephants)
		best := 0.0
		for i := range s.samples {
			best = max(best, s.samples[i].chance)
		}
		drawn := 0
		for range 200 {
			chosen := s.Choose()
			for i := range s.samples {
				if slices.Equal(chosen, s.samples[i].placements) && s.samples[i].chance == best {
					drawn++
					break
				}
			}
		}
		if drawn < test.least || drawn > test.most {
			t.Errorf("scale %g: a best setup was drawn %d times of 200", test.scale, drawn)
		}
	}
}

// TestSetupTemperature: the placements of the samples have the probability prior^(1/temperature), and only the likeliest is
// left at temperature 0.
func TestSetupTemperature(t *testing.T) {
	for _, temperature := range []float64{0, 1, 3} {
		s := NewSetup(Config{})
		s.Begin(game.New(), 3000, temperature, rand.New(rand.NewPCG(5, 6)))
		finishSetup(t, s, rising)
		sum, counts := 0.0, map[game.Action]int{}
		for i := range 6 {
			sum += math.Pow(float64(i+1), 1/temperature)
		}
		for i := range s.samples {
			counts[s.samples[i].placements[0]]++
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

// TestSetupPaysForStoppedGames: the cost of a stopped game counts in the weight of a setup, and not in the chance to win.
func TestSetupPaysForStoppedGames(t *testing.T) {
	s := NewSetup(Config{PolicyTargetScale: 10, DrawPenalty: 0.5})
	s.Begin(game.New(), 2, 1, rand.New(rand.NewPCG(1, 1)))
	finishSetup(t, s, func(leaf *Leaf) Evaluation {
		e := rising(leaf)
		if i := slices.IndexFunc(s.runs, func(r setupRun) bool { return r.leaf.Game == leaf.Game }); !leaf.Game.InSetup() && s.runs[i].sample == 1 {
			e.Stopped = 0.4
		}
		return e
	})
	if w := s.weights(); math.Abs(w[1]-math.Exp(-10*0.5*0.4)) > 1e-6 || w[0] != 1 {
		t.Errorf("the weights are %v, and games of sample 1 are stopped", w)
	}
	if _, chance := s.Stats(nil, nil); chance != 0.5 {
		t.Errorf("the chance is %g, want 0.5", chance)
	}
}

// TestSetupHandsOutEachLeafOnce: while the leaves of all samples are out, there is nothing to take; one that is cancelled
// comes again, and one from before Begin has no effect.
func TestSetupHandsOutEachLeafOnce(t *testing.T) {
	s := NewSetup(Config{})
	s.Begin(game.New(), 2, 1, rand.New(rand.NewPCG(1, 1)))
	a, _ := s.Select()
	b, _ := s.Select()
	if _, status := s.Select(); a == b || status != Wait {
		t.Fatalf("the third leaf of two samples: %v", status)
	}
	s.Cancel(a)
	if again, status := s.Select(); again != a || status != Evaluate {
		t.Errorf("a cancelled leaf does not come again: %v", status)
	}
	s.Expand(a, rising(a))
	s.Expand(a, rising(a)) // has no effect: it is not out
	if n := len(s.runs[0].placements); n != 1 {
		t.Errorf("%d placements after one evaluation", n)
	}
	s.Begin(game.New(), 2, 1, rand.New(rand.NewPCG(1, 1)))
	s.Expand(b, rising(b))
	if n := len(s.runs[1].placements); n != 0 {
		t.Errorf("a void leaf made %d placements", n)
	}
}
