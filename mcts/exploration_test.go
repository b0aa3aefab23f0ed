package mcts

import (
	"math"
	"slices"
	"testing"

	"warren/game"
	"warren/game/tactics"
)

// TestSpread recomputes the spread below every node from its visits' values.
func TestSpread(t *testing.T) {
	config := AlphaZeroConfig()
	config.LCB = 5
	s := New(config, 2000)
	s.Reset(positions(t)[3])
	for step := 0; step < 3; step++ {
		run(s, 400, crude)
		values := make([][]float32, len(s.nodes)) // Gold's chances
		for at := len(s.nodes) - 1; at >= 0; at-- {
			n := s.nodes[at]
			values[at] = append(values[at], forGold(n.value, n.side))
			for e, end := n.span(); e < end; e++ {
				switch edge := s.edges[e]; {
				case edge.child > 0:
					values[at] = append(values[at], values[edge.child]...)
				case edge.decided():
					for range edge.visits {
						values[at] = append(values[at], goldChance(edge.winner()))
					}
				}
			}
			want := 0.0
			for _, v := range values[at] {
				want += (float64(v) - 0.5) * (float64(v) - 0.5)
			}
			if got := float64(s.squares[at]) / one; math.Abs(got-want) > 1e-3*(1+want) {
				t.Fatalf("node %d: the sum of squares is %g, want %g", at, got, want)
			}
		}
		s.Advance(best(s))
	}
}

// TestLCB: between an action of much visited, steady value and one of as good a
// mean that swings, the steady one is played; without visits the bound is far.
func TestLCB(t *testing.T) {
	config := AlphaZeroConfig()
	config.LCB = 5
	differ := 0
	for _, g := range positions(t) {
		s := New(config, 1000)
		s.Reset(g)
		run(s, 300, hashed)
		out, _ := s.Outcome(0, nil)
		r := s.root.(*puctRoot)
		most := s.mostVisited(0)
		chosen := s.rootEdge(out.Action)
		for e, end := s.nodes[0].span(); e < end; e++ {
			if float64(s.edges[e].visits) >= 0.15*float64(s.edges[most].visits) && r.lower(&s.tree, e) > r.lower(&s.tree, chosen) {
				t.Fatalf("edge %d has a higher bound than the one played", e)
			}
		}
		if mean := float64(s.edges[chosen].mean()); r.lower(&s.tree, chosen) >= mean {
			t.Fatal("a bound is not below its mean")
		}
		if chosen != most {
			differ++
		}
		if pv := s.PV(nil); pv[0] != out.Action {
			t.Errorf("the principal variation begins with %v, and %v is played", pv[0], out.Action)
		}
	}
	if differ == 0 {
		t.Error("the bound never changed the choice")
	}
}

// TestBoundsByHand: between an action of steady value and one of a higher mean that swings, the steady one is
// played. One of few visits must have 0.15 times the most to be played, however good it looks. The bounds were
// computed by hand.
func TestBoundsByHand(t *testing.T) {
	config := AlphaZeroConfig()
	config.LCB = 5
	s := New(config, 1000)
	s.Reset(positions(t)[3])
	run(s, 200, crude)
	r := s.root.(*puctRoot)
	var edges []int32
	for e, end := s.nodes[0].span(); e < end; e++ {
		if s.edges[e].node() > 0 {
			edges = append(edges, e)
		}
		s.edges[e].visits = 0
	}
	if len(edges) < 3 {
		t.Fatalf("%d actions have a node", len(edges))
	}
	swinging, steady, few := edges[0], edges[1], edges[2]
	for _, c := range []struct {
		edge          int32
		visits        int32
		mean, squares float32
		bound         float64
		played        int32 // once this action has its visits
	}{
		{swinging, 100, 0.62, 20, 0.40315, swinging},
		{steady, 100, 0.6, 1, 0.575, steady},
		{few, 14, 0.9, 2.24, 0.72143, steady},
		{few, 15, 0.9, 2.4, 0.73333, few},
	} {
		e := &s.edges[c.edge]
		e.visits, e.sum = c.visits, sumOf(whole(c.mean)*int64(c.visits))
		s.squares[e.node()] = int64(c.squares * one)
		if got := r.lower(&s.tree, c.edge); math.Abs(got-c.bound) > 1e-4 {
			t.Errorf("%d visits of a mean of %g: the bound is %g, want %g", c.visits, c.mean, got, c.bound)
		}
		if got := r.preferred(&s.tree); got != c.played {
			t.Errorf("after %d visits of a mean of %g: edge %d is played, want %d", c.visits, c.mean, got, c.played)
		}
	}
}

// TestSkipForced: finishing a push costs no visit of its own, and every node
// that was evaluated has a choice.
func TestSkipForced(t *testing.T) {
	config := AlphaZeroConfig()
	config.SkipForced = true
	forced, legal := 0, 0
	for _, g := range positions(t) {
		s := New(config, 1000)
		s.Reset(g)
		run(s, 500, func(g2 *game.Game, l []game.Action, p []float32) float32 {
			if len(l) == 1 {
				legal++
			}
			return hashed(g2, l, p)
		})
		recount(t, s)
		for at := range s.nodes {
			if s.nodes[at].forced {
				forced++
			}
		}
	}
	if forced < 10 || legal > 0 {
		t.Errorf("%d forced positions skipped, %d evaluated", forced, legal)
	}
}

// TestCapturePrior: steps that lead to a capture share what they are promised, the
// others keep their proportions, and nothing else changes.
func TestCapturePrior(t *testing.T) {
	const share = 0.25
	plain, favoured := AlphaZeroConfig(), AlphaZeroConfig()
	favoured.CapturePrior = share
	var finder tactics.Captures
	with, without := 0, 0
	for _, g := range positions(t) {
		priors := func(c Config) map[game.Action]float64 {
			s := New(c, 10)
			s.Reset(g)
			run(s, 1, crude)
			all := map[game.Action]float64{}
			for i, m := range s.Root(nil) {
				all[m.Action] = float64(s.rootPriors[i])
			}
			return all
		}
		before, after := priors(plain), priors(favoured)
		legal := g.Legal(nil)
		steps := finder.Find(g, legal)
		if len(steps) == 0 {
			without++
		} else {
			with++
		}
		for i, a := range legal {
			want := before[a]
			if len(steps) > 0 {
				want *= 1 - share
			}
			if slices.Contains(steps, i) {
				want += share / float64(len(steps))
			}
			if math.Abs(after[a]-want) > 1e-6 {
				t.Errorf("%v: a prior of %g, want %g", a, after[a], want)
			}
		}
	}
	if with < 3 || without < 3 {
		t.Errorf("%d positions with captures, %d without", with, without)
	}
}

// TestStoppedPenalty recomputes what every edge is worth from the leaves below it.
func TestStoppedPenalty(t *testing.T) {
	const penalty = 0.3
	config := AlphaZeroConfig()
	config.DrawPenalty = penalty
	s := New(config, 2000)
	s.Reset(positions(t)[3])
	stopped := func(g *game.Game) float32 { return float32(g.EvalKey()%8) / 8 }
	for step := range 12 {
		var out []*Leaf
		for i := range 150 {
			if leaf, status := s.Select(); status == Evaluate {
				out = append(out, leaf)
			}
			if i%5 < 4 { // several are in flight, and some bring the evaluation of others
				continue
			}
			for _, leaf := range out {
				e := Evaluation{Priors: make([]float32, len(leaf.Legal)), Stopped: stopped(leaf.Game)}
				e.Value = crude(leaf.Game, leaf.Legal, e.Priors)
				s.Expand(leaf, e)
			}
			out = out[:0]
		}
		// below returns the sums over a node's visits of Gold's chance and of the cost.
		var below func(at int32, g *game.Game) (gold, cost, visits float64)
		below = func(at int32, g *game.Game) (gold, cost, visits float64) {
			n := &s.nodes[at]
			gold, cost, visits = float64(forGold(n.value, n.side)), penalty*float64(stopped(g)), 1
			for e, end := n.span(); e < end; e++ {
				edge := &s.edges[e]
				if edge.visits == 0 {
					continue
				}
				var v, c, m float64
				if edge.decided() {
					m = float64(edge.visits)
					v = m * float64(goldChance(edge.winner()))
				} else {
					next := game.New()
					next.CopyFrom(g)
					next.Play(s.actions[e])
					v, c, m = below(edge.child, next)
				}
				worth, other := v-c, m-v-c
				if n.side == game.Silver {
					worth, other = other, worth
				}
				if got := float64(edge.sum.total()) / one; m != float64(edge.visits) || math.Abs(worth-got) > 1e-6 {
					t.Fatalf("step %d, node %d, %v: %d visits are worth %g, want %g of %g", step, at, s.actions[e], edge.visits, got, worth, m)
				}
				q := s.mean(max(edge.child, 0), choice{at, e})
				if want := other / m; edge.child > 0 && s.nodes[edge.child].side != n.side && math.Abs(float64(q)-want) > 1e-6 {
					t.Fatalf("step %d, node %d, %v: worth %g for the opponent, want %g", step, at, s.actions[e], q, want)
				}
				gold, cost, visits = gold+v, cost+c, visits+m
			}
			return gold, cost, visits
		}
		gold, cost, visits := below(0, s.Game())
		want := gold / visits
		if s.Game().Side() == game.Silver {
			want = 1 - want
		}
		if cost == 0 || math.Abs(float64(s.Value())-want) > 1e-6 {
			t.Fatalf("step %d: a chance of %g, want %g, the costs (%g) left out", step, s.Value(), want, cost)
		}
		s.Advance(best(s))
	}
}

// Where all values are even, both players go where the game is not stopped.
func TestStoppedPenaltyShunsWaiting(t *testing.T) {
	for _, g := range positions(t) {
		if g.Result().Over() || g.InSetup() {
			continue
		}
		legal := g.Legal(nil)
		lively := legal[len(legal)/2]
		next := game.New()
		next.CopyFrom(g)
		next.Play(lively)
		config := AlphaZeroConfig()
		config.DrawPenalty = 0.5
		s := New(config, 400)
		s.Reset(g)
		for s.Simulations() < 200 {
			leaf, status := s.Select()
			if status != Evaluate {
				continue
			}
			e := Evaluation{Priors: make([]float32, len(leaf.Legal)), Value: 0.5, Stopped: 1}
			for i := range e.Priors {
				e.Priors[i] = 1 / float32(len(leaf.Legal))
			}
			if leaf.Game.EvalKey() == next.EvalKey() {
				e.Stopped = 0
			}
			s.Expand(leaf, e)
		}
		stats := s.Root(nil)
		slices.SortFunc(stats, func(a, b ActionStats) int { return b.Visits - a.Visits })
		if stats[0].Action != lively && s.Proof() == Unproven {
			t.Errorf("%v to move: %v has the most visits, want %v", g.Side(), stats[0].Action, lively)
		}
	}
}
