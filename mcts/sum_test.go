package mcts

import (
	"flag"
	"math"
	"testing"

	"warren/game"
)

// TestConstantValue has been run with 1e8 visits, which take some minutes.
var constantVisits = flag.Int("visits", 100_000, "visits of TestConstantValue")

func TestSum(t *testing.T) {
	var s sum
	want := int64(0)
	for _, part := range []int64{1, -2, one, -one / 2, 1<<62 - 5, -1 << 61, one - 1, -(1<<62 - 7)} {
		s.add(part)
		if want += part; s.total() != want || sumOf(want) != s {
			t.Errorf("after %d the sum is %d, want %d", part, s.total(), want)
		}
	}
	for _, v := range []float32{0, 1, -0.5, 0.3, 1.0 / 256, 1 - 1e-7} {
		if got := float64(whole(v)) / one; got != float64(v) {
			t.Errorf("%g counts as %g", v, got)
		}
	}
}

// weigh multiplies the visits of a tree, and all sums over them.
func weigh(s *Search, by int64) {
	for i := range s.edges {
		e := &s.edges[i]
		e.visits, e.sum = e.visits*int32(by), sumOf(e.sum.total()*by)
	}
	for i := range s.squares {
		s.squares[i] *= by
	}
	for i := range s.costs {
		s.costs[i].sum = sumOf(s.costs[i].sum.total() * by)
	}
}

// TestLongSearch continues with searches of up to a billion visits. Where all values
// are equal, they remain so, and actions get equal visits: one that is behind catches
// up.
func TestLongSearch(t *testing.T) {
	const gold, penalty, stopped = 0.3, 0.5, 0.25
	b, side, err := game.ParsePosition("g [rrrrrrrrhdcemcdh                                HDCMECDHRRRRRRRR]")
	if err != nil {
		t.Fatal(err)
	}
	for _, visits := range []int{1e7, 1e8, 1e9} {
		for name, change := range map[string]func(*Config){
			"plain":   func(*Config) {},
			"spread":  func(c *Config) { c.LCB = 5 },
			"penalty": func(c *Config) { c.DrawPenalty = penalty },
			"gumbel":  func(c *Config) { c.Rule = GumbelRule },
		} {
			config := AlphaZeroConfig()
			change(&config)
			s := New(config, 3000)
			s.Reset(game.FromBoard(b, side))
			run := func(n int) {
				var priors [game.NumActions]float32
				for n += s.Simulations(); s.Simulations() < n; {
					leaf, status := s.Select()
					if status != Evaluate {
						continue
					}
					p := priors[:len(leaf.Legal)]
					for i := range p {
						p[i] = 1 / float32(len(p))
					}
					s.Expand(leaf, Evaluation{Priors: p, Value: forGold(gold, leaf.Game.Side()), Stopped: stopped})
				}
			}
			run(1 + 8*750) // of eight actions
			weigh(s, int64(visits/s.Simulations()))
			behind := &s.rootEdges()[3]
			less := min(behind.visits/60, 60_000)
			behind.visits, behind.sum = behind.visits-less, sumOf(behind.sum.total()-int64(less)*whole(gold-s.penalty*stopped))
			before := behind.visits
			run(3 * int(less) / 2)
			fewest, most := math.MaxInt, 0
			for _, m := range s.Root(nil) {
				want := gold - float64(s.penalty*stopped)
				if math.Abs(float64(m.Q)-want) > 1e-6 {
					t.Errorf("%s, %d visits: %v is worth %.8f, want %.8f", name, visits, m.Action, m.Q, want)
				}
				fewest, most = min(fewest, m.Visits), max(most, m.Visits)
			}
			if math.Abs(float64(s.Value())-gold) > 1e-6 {
				t.Errorf("%s, %d visits: the value is %.8f, want %g", name, visits, s.Value(), gold)
			}
			if s.spread {
				got, want := float64(s.squares[0])/one/float64(s.Simulations()), (gold-0.5)*(gold-0.5)
				if math.Abs(got-want) > 1e-6 {
					t.Errorf("%s, %d visits: the mean square is %.8f, want %.8f", name, visits, got, want)
				}
			}
			if gained := s.rootEdges()[3].visits - before; fewest < most*99/100 || gained < less/2 {
				t.Errorf("%s, %d visits: equal actions have %d to %d, and one that was %d behind got %d of %d", name, visits, fewest, most, less, gained, 3*less/2)
			}
		}
	}
}

// TestConstantValue makes every visit of a search in which all values are equal. They
// remain so, and actions get equal visits.
func TestConstantValue(t *testing.T) {
	const gold = 0.3
	b, side, err := game.ParsePosition("g [rrrrrrrrhdcemcdh                                HDCMECDHRRRRRRRR]")
	if err != nil {
		t.Fatal(err)
	}
	s := New(AlphaZeroConfig(), 300_000)
	s.Reset(game.FromBoard(b, side))
	run(s, *constantVisits, func(g *game.Game, legal []game.Action, priors []float32) float32 {
		for i := range legal {
			priors[i] = 1 / float32(len(legal))
		}
		return forGold(gold, g.Side())
	})
	fewest, most := math.MaxInt, 0
	for _, m := range s.Root(nil) {
		if math.Abs(float64(m.Q)-gold) > 1e-6 {
			t.Errorf("%v is worth %.8f, want %g", m.Action, m.Q, gold)
		}
		fewest, most = min(fewest, m.Visits), max(most, m.Visits)
	}
	if math.Abs(float64(s.Value())-gold) > 1e-6 {
		t.Errorf("the value is %.8f, want %g", s.Value(), gold)
	}
	if fewest < most*99/100 {
		t.Errorf("equal actions have %d to %d visits", fewest, most)
	}
	t.Logf("%d visits: the value is %.8f, the actions have %d to %d visits", s.Simulations(), s.Value(), fewest, most)
}

// TestMostVisits: a root that cannot count many more visits is settled, and its sums
// hold that many and as many again.
func TestMostVisits(t *testing.T) {
	s := New(AlphaZeroConfig(), 10)
	s.Reset(positions(t)[0])
	run(s, 2, uniform)
	e := &s.edges[0]
	e.visits, e.sum = mostVisits-1, sumOf((mostVisits-1)*one)
	if s.Settled() {
		t.Error("settled before the last visit")
	}
	run(s, mostVisits, uniform)
	if !s.Settled() {
		t.Error("not settled")
	}
	e.visits, e.sum = math.MaxInt32, sumOf(math.MaxInt32*one)
	if e.mean() != 1 {
		t.Errorf("the mean of ones is %g", e.mean())
	}
}
