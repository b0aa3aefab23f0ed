package mcts

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"warren/game"
	"warren/internal/gametest"
)

// playTurn searches and plays to the end of the turn. It keeps the tree.
func playTurn(s *Search, visits int) {
	side := s.Game().Side()
	for s.Game().Side() == side && !s.Game().Result().Over() {
		run(s, visits, uniform)
		s.Advance(best(s))
	}
}

// canGoal reports whether the side to move has a turn that ends in its goal.
func canGoal(g *game.Game, side game.Color) bool {
	if r := g.Result(); r.Over() {
		return r.Winner == side && r.Reason == game.Goal
	}
	if g.Side() != side {
		return false
	}
	for _, a := range g.Legal(nil) {
		next := g.Clone()
		next.Play(a)
		if canGoal(next, side) {
			return true
		}
	}
	return false
}

// TestFindsGoal has a goal that takes all four steps: three ahead and one aside,
// because the square straight ahead is taken.
func TestFindsGoal(t *testing.T) {
	for _, c := range []struct{ side, squares string }{
		{"g", "...r.... ........ ........ ...R.... ........ ........ ........ .......E"},
		{"s", "e....... ........ ........ ........ ...r.... ........ ........ ...R...."},
	} {
		g := parse(t, c.side, c.squares)
		s := New(AlphaZeroConfig(), 20000)
		s.Reset(g)
		playTurn(s, 10000)
		if r := s.Game().Result(); r.Reason != game.Goal || r.Winner != g.Side() {
			t.Errorf("%s: after the turn the game is %v, want a goal", c.squares, r)
		}
	}
}

// TestStopsGoal has an enemy rabbit one step from its goal.
func TestStopsGoal(t *testing.T) {
	for _, c := range []struct{ side, squares string }{
		{"g", "e....... ........ ........ ........ ........ ........ R...r.C. ........"},
		{"s", "........ r...R.c. ........ ........ ........ ........ ........ E......."},
	} {
		g := parse(t, c.side, c.squares)
		enemy := g.Side().Other()
		s := New(AlphaZeroConfig(), 10000)
		s.Reset(g)
		playTurn(s, 5000)
		if s.Game().Result().Over() {
			t.Fatalf("%s: the game is over: %v", c.squares, s.Game().Result())
		}
		if canGoal(s.Game(), enemy) {
			t.Errorf("%s: the rabbit was let through", c.squares)
		}
	}
}

// TestSign has an evaluator that always gives Gold 3 chances in 4, so every
// edge's value shows who chose it.
func TestSign(t *testing.T) {
	constant := func(g *game.Game, legal []game.Action, priors []float32) float32 {
		uniform(g, legal, priors)
		return forGold(0.75, g.Side())
	}
	g := parse(t, "s", "r......r ........ ........ .e...... ........ ........ ........ R......R")
	for _, left := range []int{4, 1} {
		for g.StepsLeft() > left {
			g.Play(g.Legal(nil)[0])
		}
		s := New(AlphaZeroConfig(), 1000)
		s.Reset(g)
		run(s, 300, constant)
		kept, changed := false, false
		for at := range s.nodes {
			n := &s.nodes[at]
			first, end := n.span()
			for e := first; e < end; e++ {
				c := s.edges[e].child
				if c <= 0 {
					continue
				}
				if s.nodes[c].side == n.side {
					kept = true
				} else {
					changed = true
				}
				if q, want := s.edges[e].mean(), forGold(0.75, n.side); q != want {
					t.Fatalf("node %d of %v values an action at %g, want %g", at, n.side, q, want)
				}
			}
		}
		if !kept || !changed {
			t.Fatalf("edges within a turn: %t, between turns: %t; want both", kept, changed)
		}
		if s.Value() != 0.25 {
			t.Errorf("Silver's root is worth %g, want 0.25", s.Value())
		}
	}
}

// TestFPU checks which action the second simulation below the root takes: the
// first again, or a new one.
func TestFPU(t *testing.T) {
	const root = 0.5
	for _, c := range []struct {
		name  string
		fpu   float64
		child float32 // value of the first action tried
		again bool
	}{
		// The node is worth (0.5 + child) / 2, and the assumed value is
		// 0.2*sqrt(1/6) less, so the two are equal at a child of
		// 0.5 - 0.4*sqrt(1/6) = 0.337.
		{"reduced, above", 0.2, 0.345, true},
		{"reduced, below", 0.2, 0.33, false},
		{"not reduced, below", 0, 0.49, false},
		{"not reduced, above", 0, 0.51, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			config := AlphaZeroConfig()
			config.CPUCTInit = 0
			config.RootFPUReduction = c.fpu
			s := New(config, 10)
			s.Reset(game.New()) // six placements, all by Gold
			evaluate := func(g *game.Game, legal []game.Action, priors []float32) float32 {
				uniform(g, legal, priors)
				if s.Nodes() == 0 {
					return root
				}
				return forGold(c.child, g.Side())
			}
			run(s, 3, evaluate)
			if again := s.Root(nil)[0].Visits == 2; again != c.again {
				t.Errorf("the first action was taken again: %t, want %t", again, c.again)
			}
		})
	}
}

// TestInFlight follows one leaf out and back.
func TestInFlight(t *testing.T) {
	config := AlphaZeroConfig()
	config.SeparateEvaluations = true // or a simulation might need no leaf
	s := New(config, 100)
	s.Reset(positions(t)[0])
	leaf, status := s.Select()
	if status != Evaluate {
		t.Fatalf("the root gives %v, want Evaluate", status)
	}
	if _, status := s.Select(); status != Wait {
		t.Fatalf("with the root in flight Select gives %v, want Wait", status)
	}
	s.Cancel(leaf)
	run(s, 50, hashed)
	before := dump(s, 0, 1)

	var leaves []*Leaf
	for range 8 {
		leaf, status := s.Select()
		if status == Evaluate {
			leaves = append(leaves, leaf)
		}
	}
	if len(leaves) < 2 {
		t.Fatalf("%d leaves could be handed out at once, want more", len(leaves))
	}
	if n := int(s.edges[0].visits); n != 50+len(leaves) || s.Simulations() != 50 {
		t.Fatalf("%d visits and %d simulations with %d leaves in flight, want 50 simulations", n, s.Simulations(), len(leaves))
	}
	for _, leaf := range leaves {
		s.Cancel(leaf)
		s.Cancel(leaf) // a second time has no effect
	}
	if !same(before, dump(s, 0, 1)) {
		t.Error("cancelling did not undo the simulations")
	}
}

// TestFull searches far beyond the capacity.
func TestFull(t *testing.T) {
	const capacity, visits = 40, 1000
	s := New(AlphaZeroConfig(), capacity)
	for _, g := range positions(t) {
		s.Reset(g)
		run(s, visits, hashed)
		if !s.Full() || s.Nodes() > capacity {
			t.Fatalf("%d nodes of %d, full: %t", s.Nodes(), capacity, s.Full())
		}
		if s.Simulations() != visits {
			t.Errorf("%d simulations, want %d", s.Simulations(), visits)
		}
		sum := 1
		for _, m := range s.Root(nil) {
			sum += m.Visits
			if m.Q < 0 || m.Q > 1 {
				t.Errorf("action %d is worth %g", m.Action, m.Q)
			}
		}
		if sum != visits {
			t.Errorf("the root's actions and itself have %d visits, want %d", sum, visits)
		}
		s.Advance(best(s))
		run(s, s.Simulations()+10, hashed)
	}
	if cap(s.nodes) > capacity || cap(s.edges) > 1+capacity*edgesPerNode || cap(s.actions) > 1+capacity*edgesPerNode {
		t.Errorf("room for %d nodes and %d edges, beyond the bounds", cap(s.nodes), cap(s.edges))
	}
}

// TestTreesKeepToTheirBytes fills trees from an open board, whose positions have more actions than usual.
func TestTreesKeepToTheirBytes(t *testing.T) {
	g := parse(t, "g", "r..r..r. ........ .e.h..d. D...m..C ..H..h.. .E.D..M. c...H..d R..R..R.")
	const within, capacity = 1 << 18, 225
	stopped := MatchConfig()
	stopped.LCB, stopped.DrawPenalty = 0, 0.5
	for name, c := range map[string]Config{"default": AlphaZeroConfig(), "match": MatchConfig(), "stopped": stopped} {
		for s, most := range map[*Search]int{NewWithin(c, within): within, New(c, capacity): 1510*capacity + 1<<13} {
			s.Reset(g)
			for visits := 100; !s.Full(); visits += 100 {
				if visits > 10_000 {
					t.Fatalf("%s: the tree does not become full", name)
				}
				run(s, visits, hashed)
			}
			if most == within && s.Nodes() >= s.maxNodes {
				t.Errorf("%s: the nodes fill the tree before their edges do: the board is not open enough", name)
			}
			s.Advance(best(s))
			run(s, s.Simulations()+300, hashed)
			if n := bytesOf(s); n > most {
				t.Errorf("%s: a tree of %d bytes, want at most %d", name, n, most)
			}
		}
	}
}

// More bytes than the most have no effect, and fewer have one.
func TestMostBytes(t *testing.T) {
	limit := func(bytes int64) int { return NewWithin(AlphaZeroConfig(), bytes).maxNodes }
	if most := limit(MostBytes); most != limit(2*MostBytes) || most == limit(MostBytes-1) {
		t.Errorf("with %d bytes a tree has up to %d nodes, with twice as many %d", int64(MostBytes), most, limit(2*MostBytes))
	}
}

// bytesOf returns the memory of a tree and its tables.
func bytesOf(s *Search) (n int) {
	count := func(slice reflect.Value) { n += slice.Cap() * int(slice.Type().Elem().Size()) }
	tree := reflect.ValueOf(s.tree)
	for i := range tree.NumField() {
		if f := tree.Field(i); f.Kind() == reflect.Slice {
			count(f)
		}
	}
	count(reflect.ValueOf(s.shared.places))
	count(reflect.ValueOf(s.proofs.places))
	return n
}

// TestRoomForEverySimulation: where the capacity is the number of visits, no evaluation is lost,
// unless most positions are forced.
func TestRoomForEverySimulation(t *testing.T) {
	const visits = 64
	s := New(MatchConfig(), visits)
	rng := rand.New(rand.NewPCG(11, 12))
	beyond := 0
	for range 200 {
		g := game.FromBoard(gametest.RandomBoard(rng, 8), game.Color(rng.IntN(2)))
		if g.Result().Over() {
			continue
		}
		s.Reset(g)
		run(s, visits, hashed)
		forced, dropped := 0, 0
		for i := range s.nodes {
			n := &s.nodes[i]
			if n.forced {
				forced++
			}
			first, end := n.opened()
			for _, e := range s.edges[first:end] {
				if e.visits > 0 && e.child == unvisited {
					dropped++
				}
			}
		}
		if dropped > 0 && 2*forced < s.Nodes() {
			t.Errorf("%d evaluations were not stored, with %d nodes after %d simulations", dropped, s.Nodes(), s.Simulations())
		}
		if s.Nodes() > visits {
			beyond++
		}
	}
	if beyond < 20 {
		t.Errorf("%d searches had more nodes than visits: too few to tell", beyond)
	}
}

// TestGameOver searches a game that is over.
func TestGameOver(t *testing.T) {
	g := parse(t, "s", "....R... r....... ........ ........ ........ ........ ........ ........")
	s := New(AlphaZeroConfig(), 10)
	s.Reset(g)
	if n := run(s, 5, uniform); n != 0 || s.Value() != 0 {
		t.Errorf("%d evaluations and the value %g of a lost game, want none and 0", n, s.Value())
	}
	if _, ok := s.Outcome(0, nil); ok || len(s.PV(nil)) > 0 || len(s.Root(nil)) > 0 {
		t.Error("there is something to choose in a game that is over")
	}
}

// TestDeterministic searches twice with the same seed and once with another.
func TestDeterministic(t *testing.T) {
	config := AlphaZeroConfig()
	config.NoiseFraction = 0.25
	search := func(g *game.Game, seed uint64) branch {
		s := New(config, 1000)
		rng := rand.New(rand.NewPCG(seed, 0))
		s.Reset(g)
		s.Begin(200, rng)
		run(s, 200, hashed)
		out, _ := s.Outcome(1, rng)
		s.Advance(out.Action)
		s.Begin(200, rng)
		run(s, 200, hashed)
		return dump(s, 0, 1)
	}
	for _, g := range positions(t) {
		if !same(search(g, 1), search(g, 1)) {
			t.Error("the same seed gave two trees")
		}
		if same(search(g, 1), search(g, 2)) {
			t.Error("two seeds gave the same tree")
		}
	}
}

// TestSharing compares a search that shares evaluations with one that does not.
func TestSharing(t *testing.T) {
	for i, g := range append(positions(t), game.New()) {
		var trees [2]branch
		var evaluations [2]int
		for j, share := range []bool{false, true} {
			config := AlphaZeroConfig()
			config.SeparateEvaluations = !share
			s := New(config, 2000)
			s.Reset(g)
			evaluations[j] = run(s, 800, hashed)
			s.Advance(best(s))
			evaluations[j] += run(s, 800, hashed)
			recount(t, s)
			trees[j] = dump(s, 0, 1)
		}
		if !same(trees[0], trees[1]) {
			t.Errorf("position %d: sharing evaluations changed the tree", i)
		}
		if evaluations[1] >= evaluations[0] && !g.InSetup() {
			t.Errorf("position %d: %d evaluations with sharing, %d without", i, evaluations[1], evaluations[0])
		}
	}
}

// TestAllocations checks that searches do not allocate.
func TestAllocations(t *testing.T) {
	games := positions(t)
	s := New(AlphaZeroConfig(), 500)
	var priors [game.NumActions]float32
	search := func() {
		for _, g := range games[:4] {
			s.Reset(g)
			for s.Simulations() < 500 {
				if leaf, status := s.Select(); status == Evaluate {
					p := priors[:len(leaf.Legal)]
					s.Expand(leaf, Evaluation{Priors: p, Value: uniform(leaf.Game, leaf.Legal, p)})
				}
			}
			s.Advance(best(s))
			s.Begin(500, nil)
		}
	}
	if n := testing.AllocsPerRun(3, search); n != 0 {
		t.Errorf("%g allocations in 2000 simulations, want none", n)
	}
}
