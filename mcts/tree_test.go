package mcts

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"pgregory.net/rapid"

	"warren/game"
)

// branch is a subtree as data, to be compared or kept as JSON.
type branch struct {
	Action game.Action `json:"action"`
	Visits int32       `json:"visits"`
	Sum    float64     `json:"sum"`
	Prior  float32     `json:"prior"`
	Ends   bool        `json:"ends,omitempty"`
	Below  []branch    `json:"below,omitempty"`
}

// dump returns the subtree behind the edge via, as far as its edges have at
// least the given number of visits.
func dump(s *Search, via, least int32) branch {
	e := s.edges[via]
	out := branch{Action: s.actions[via], Visits: e.visits, Sum: float64(e.sum.total()) / one, Prior: e.prior, Ends: e.child < inFlight}
	if e.node() > 0 || via == 0 && len(s.nodes) > 0 {
		for c, end := s.nodes[e.node()].span(); c < end; c++ {
			if s.edges[c].visits >= least {
				out.Below = append(out.Below, dump(s, c, least))
			}
		}
	}
	return out
}

// same reports whether two trees are equal bit for bit.
func same(a, b branch) bool {
	return a.Action == b.Action && a.Visits == b.Visits && a.Sum == b.Sum && a.Prior == b.Prior &&
		a.Ends == b.Ends && slices.EqualFunc(a.Below, b.Below, same)
}

type failer interface {
	Helper()
	Fatalf(string, ...any)
}

// recount checks a tree that was never full, with nothing in flight, against its
// nodes' own values: visits must add up, and every edge's sum must be that of the
// values below it, turned once for each change of player. One visit of each lost
// action, that which found it lost, does not count above.
func recount(t failer, s *Search) {
	t.Helper()
	gold := make([]float64, len(s.nodes)) // sum of Gold's chances in the subtree
	ways := arrivals(s)
	for at := len(s.nodes) - 1; at >= 0; at-- {
		n := s.nodes[at]
		visits := int32(0)
		if !n.forced {
			visits = 1
			gold[at] += float64(forGold(n.value, n.side))
		}
		in := s.edges[ways[at].edge]
		lost := int32(0)
		if in.decided() && in.winner() != n.side {
			lost = -1 // the last of its actions was found lost for all that is above, too
		}
		first, end := n.span()
		for e := first; e < end; e++ {
			edge := s.edges[e]
			visits += edge.visits
			if edge.decided() && edge.winner() != n.side && s.config.Proofs {
				lost++
			}
			var below float64
			switch {
			case edge.node() > 0:
				if below = gold[edge.node()]; int(edge.node()) <= at {
					t.Fatalf("node %d has the child %d before it", at, edge.node())
				}
			case edge.child == goldWins:
				below = float64(edge.visits)
			case edge.child == inFlight:
				t.Fatalf("edge %d is still in flight", e)
			case edge.child == unvisited && edge.visits != 0:
				t.Fatalf("edge %d leads nowhere with %d visits", e, edge.visits)
			}
			if e-first >= int32(n.open) && edge.visits != 0 {
				t.Fatalf("node %d: edge %d has visits but is not open", at, e-first)
			}
			if edge.visits != 0 && !n.arranged {
				t.Fatalf("node %d: edge %d has visits but the edges are not arranged", at, e-first)
			}
			if before := min(e-1, first+int32(n.open)); at > 0 && n.arranged && e > first && !inOrder(s, before, e) {
				t.Fatalf("node %d: edge %d comes before edge %d", at, e-first, before-first)
			}
			gold[at] += below
			if n.side == game.Silver {
				below = float64(edge.visits) - below
			}
			if got := float64(edge.sum.total()) / one; math.Abs(below-got) > 1e-6 {
				t.Fatalf("edge %d has the sum %g, the values below it %g", e, got, below)
			}
		}
		if lost = max(lost, 0); lost > 0 {
			visits -= lost
			if n.side == game.Silver {
				gold[at] -= float64(lost)
			}
		}
		if in.decided() && in.winner() == game.Gold {
			gold[at] += float64(in.visits - visits) // since the proof
		}
		if in.visits != visits && !(in.decided() && in.visits > visits) {
			t.Fatalf("node %d has %d visits, its own and its actions' are %d", at, in.visits, visits)
		}
	}
	if len(s.nodes) > 0 {
		value := gold[0]
		if s.game.Side() == game.Silver {
			value = float64(s.edges[0].visits) - value
		}
		if got := float64(s.edges[0].sum.total()) / one; math.Abs(got-value) > 1e-6 {
			t.Fatalf("the root has the sum %g, the values below it %g", got, value)
		}
	}
}

// inOrder reports whether edge a comes before edge b: it has a higher prior, or the same and is earlier
// in game.Legal.
func inOrder(s *Search, a, b int32) bool {
	p, q := s.edges[a].prior, s.edges[b].prior
	return p > q || p == q && s.actions[a] < s.actions[b]
}

// drawConfig draws settings at random.
func drawConfig(t *rapid.T) Config {
	c := AlphaZeroConfig()
	c.CPUCTInit = rapid.Float64Range(0, 5).Draw(t, "cpuct")
	c.RootFPUReduction = rapid.Float64Range(0, 1).Draw(t, "root fpu")
	c.FPUReduction = rapid.Float64Range(0, 1).Draw(t, "fpu")
	c.NoiseFraction = rapid.SampledFrom([]float64{0, 0.25, 1}).Draw(t, "noise fraction")
	c.SeparateEvaluations = rapid.Bool().Draw(t, "separate")
	c.Rule = rapid.SampledFrom([]string{PUCT, GumbelRule}).Draw(t, "rule")
	c.LCB = rapid.SampledFrom([]float64{0, 5}).Draw(t, "lcb")
	c.Proofs = rapid.Bool().Draw(t, "proofs")
	c.WinTestSteps = rapid.SampledFrom([]int{0, 200}).Draw(t, "win test steps")
	c.SkipForced = rapid.Bool().Draw(t, "skip forced")
	return c
}

// TestWholeGames plays random games with the tree kept from action to action.
func TestWholeGames(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		g := randomGame(rng, rapid.IntRange(0, 400).Draw(t, "actions"))
		visits := rapid.IntRange(1, 60).Draw(t, "visits")
		s := New(drawConfig(t), 10*visits)
		s.Reset(g)
		for range 12 {
			s.Begin(visits, rng)
			run(s, visits, hashed)
			recount(t, s)
			out, ok := s.Outcome(1, rng)
			a := out.Action
			if !ok {
				if !s.Game().Result().Over() {
					t.Fatalf("no choice in a game that continues")
				}
				break
			}
			var below branch
			if via := s.rootEdge(a); s.edges[via].node() > 0 {
				below = dump(s, via, 1)
			}
			s.Advance(a)
			g.Play(a)
			if s.Game().Hash() != g.Hash() {
				t.Fatalf("the root is not the position after %d", a)
			}
			recount(t, s)
			if s.Simulations() != int(below.Visits) {
				t.Fatalf("%d visits after Advance, %d before", s.Simulations(), below.Visits)
			}
			kept := dump(s, 0, 1)
			for i := range kept.Below {
				// The noise of an action at the root is all that may differ.
				kept.Below[i].Prior = below.Below[i].Prior
			}
			if !slices.EqualFunc(kept.Below, below.Below, same) {
				t.Fatalf("Advance changed the tree\nbefore %+v\nafter  %+v", below.Below, kept.Below)
			}
		}
	})
}

// TestLeavesInFlight keeps up to eight leaves out and returns them in any order,
// or not at all.
func TestLeavesInFlight(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 2))
		s := New(drawConfig(t), 1000)
		s.Reset(randomGame(rng, rapid.IntRange(0, 400).Draw(t, "actions")))
		s.Begin(0, rng)
		var out, void []*Leaf
		var priors [game.NumActions]float32
		back := func(i int) {
			leaf := out[i]
			out = slices.Delete(out, i, i+1)
			if rng.IntN(4) == 0 {
				s.Cancel(leaf)
				return
			}
			p := priors[:len(leaf.Legal)]
			s.Expand(leaf, Evaluation{Priors: p, Value: hashed(leaf.Game, leaf.Legal, p)})
		}
		for range 300 {
			done, flying := s.Simulations(), s.InFlight()
			leaf, status := s.Select()
			switch status {
			case Evaluate:
				if slices.Contains(out, leaf) || slices.Contains(void, leaf) {
					t.Fatalf("a leaf was handed out twice")
				}
				if !slices.Equal(leaf.Legal, leaf.Game.Legal(nil)) || len(leaf.Legal) == 0 {
					t.Fatalf("a leaf's legal actions are not its game's")
				}
				if !s.config.SeparateEvaluations && slices.ContainsFunc(out, func(l *Leaf) bool { return l.Game.EvalKey() == leaf.Game.EvalKey() }) {
					t.Fatalf("a position was handed out twice")
				}
				out = append(out, leaf)
				flying++
			case Finished:
				if s.InFlight() == flying+1 && !s.config.SeparateEvaluations && flying > 0 {
					flying++ // the simulation waits for a leaf with the same position
				} else {
					done++
				}
			case Wait:
				if len(out) == 0 {
					t.Fatalf("Wait with nothing in flight")
				}
			}
			if status == Finished && s.config.Proofs && s.Simulations() == done-1 {
				done-- // an action was found lost, which does not count at the root
			}
			if s.Simulations() != done || s.InFlight() != flying || flying < len(out) || flying > 0 && len(out) == 0 {
				t.Fatalf("%d simulations and %d in flight, want %d and %d, of which %d are out", s.Simulations(), s.InFlight(), done, flying, len(out))
			}
			for len(out) > 0 && (status == Wait || len(out) == 8 || rng.IntN(3) == 0) {
				back(rng.IntN(len(out)))
				status = Evaluate
			}
			if rng.IntN(100) == 0 {
				if o, ok := s.Outcome(1, rng); ok {
					s.Advance(o.Action)
					s.Begin(0, rng)
					void, out = append(void, out...), nil
					recount(t, s)
				}
			}
			if len(void) > 0 && rng.IntN(10) == 0 {
				nodes := s.Nodes()
				s.Expand(void[0], Evaluation{Priors: priors[:len(void[0].Legal)], Value: 0.5})
				s.Expand(void[0], Evaluation{Priors: priors[:len(void[0].Legal)], Value: 0.5})
				if void = void[1:]; s.Nodes() != nodes {
					t.Fatalf("a void leaf was stored")
				}
			}
		}
		for len(out) > 0 {
			back(0)
		}
		if s.InFlight() != 0 {
			t.Fatalf("%d in flight, and none are out", s.InFlight())
		}
		recount(t, s)
	})
}

// TestFollowers keeps eight leaves out, so that simulations come to positions that are
// already out by another order of steps. They return, or are
// cancelled, with the leaf that they follow.
func TestFollowers(t *testing.T) {
	var priors [game.NumActions]float32
	followed, returned := 0, 0
	for _, g := range positions(t) {
		s := New(AlphaZeroConfig(), 2000)
		s.Reset(g)
		run(s, 100, hashed)
		var out []*Leaf
		back := func() {
			leaf, flying := out[0], s.InFlight()
			out = out[1:]
			returning := 1 + len(leaf.followers)
			if returned++; returned%5 == 0 {
				s.Cancel(leaf)
			} else {
				p := priors[:len(leaf.Legal)]
				s.Expand(leaf, Evaluation{Priors: p, Value: hashed(leaf.Game, leaf.Legal, p)})
			}
			if s.InFlight() != flying-returning {
				t.Fatalf("%d leaves returned of %d", flying-s.InFlight(), returning)
			}
		}
		for s.Simulations() < 600 {
			flying := s.InFlight()
			leaf, status := s.Select()
			if status == Finished && s.InFlight() > flying {
				followed++
			}
			if status == Evaluate {
				out = append(out, leaf)
			}
			if len(out) == 8 || status == Wait {
				back()
			}
		}
		for len(out) > 0 {
			back()
		}
		if s.InFlight() != 0 {
			t.Fatalf("%d in flight, and none are out", s.InFlight())
		}
		recount(t, s)
	}
	if followed < 20 {
		t.Errorf("%d leaves came to the position of another: too few to tell", followed)
	}
}

// TestSizes holds nodes and edges to what New documents.
func TestSizes(t *testing.T) {
	n := unsafe.Sizeof(node{}) + unsafe.Sizeof(tree{}.moved[0])
	e := unsafe.Sizeof(edge{}) + unsafe.Sizeof(tree{}.actions[0])
	if n != 36 || e != 22 {
		t.Errorf("a node takes %d bytes and an edge %d, want 36 and 22", n, e)
	}
}
