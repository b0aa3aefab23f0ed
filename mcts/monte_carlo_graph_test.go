package mcts

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"warren/game"
)

// checkGraph walks every edge from the root and checks that it leads where its
// action does, that nodes are shared, that no way comes back to where it was, and
// that values are the means of what they are made of. It returns how many edges
// lead to a node that another edge leads to as well.
func checkGraph(t failer, s *Search) (shared int) {
	t.Helper()
	if len(s.nodes) == 0 {
		return 0
	}
	parents := make([]int, len(s.nodes))
	state := make([]int, len(s.nodes)) // 0 not seen, 1 on the way, 2 done
	keys := map[uint64]int32{}
	var walk func(at int32, g *game.Game)
	walk = func(at int32, g *game.Game) {
		state[at] = 1
		n := s.nodes[at]
		if at > 0 && n.key != g.Hash() || n.side != g.Side() {
			t.Fatalf("node %d is another position than its edge leads to", at)
		}
		if other, ok := keys[g.Hash()]; ok && other != at {
			t.Fatalf("nodes %d and %d are the same position", at, other)
		}
		keys[g.Hash()] = at
		first, end := n.span()
		for e := first; e < end; e++ {
			edge := s.edges[e]
			if edge.visits < 0 || edge.sum < -1e-3 || float64(edge.sum) > float64(edge.visits)*1.0001+1e-3 {
				t.Fatalf("edge %d has %d visits and the sum %g", e, edge.visits, edge.sum)
			}
			c := edge.node()
			if c == 0 {
				continue
			}
			parents[c]++
			switch state[c] {
			case 1:
				t.Fatalf("node %d follows from itself", c)
			case 0:
				mark := g.Mark()
				g.Play(s.actions[e])
				walk(c, g)
				g.Restore(mark)
			}
		}
		state[at] = 2
	}
	walk(0, s.game.Clone())
	for at, n := range parents {
		if n > 1 {
			shared++
		}
		if at > 0 && n == 0 {
			t.Fatalf("node %d cannot be reached", at)
		}
	}
	// Refreshing every node until nothing changes must not change visits, and the
	// root's value only by what other ways have brought since.
	for at := range int32(len(s.nodes)) {
		before := s.known[at]
		s.refresh(at)
		if after := s.known[at]; after.mean < 0 || after.mean > 1 || math.IsNaN(float64(after.mean)) || after.visits < before.visits && len(s.flying) == 0 {
			t.Fatalf("node %d: %+v becomes %+v", at, before, after)
		}
	}
	return shared
}

// TestMonteCarloGraph searches graphs from root to root, with leaves out and
// cancelled, by both rules and with proofs.
func TestMonteCarloGraph(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 6))
		config := drawConfig(t)
		config.Graph = true
		s := New(config, rapid.SampledFrom([]int{50, 2000}).Draw(t, "capacity"))
		s.Reset(randomGame(rng, rapid.IntRange(0, 400).Draw(t, "actions")))
		var priors [game.NumActions]float32
		for range 8 {
			s.Begin(200, rng)
			var out []*Leaf
			for range 150 {
				leaf, status := s.Select()
				if status == Evaluate {
					out = append(out, leaf)
				}
				for len(out) > 0 && (status == Wait || len(out) == 4 || rng.IntN(2) == 0) {
					i := rng.IntN(len(out))
					if leaf := out[i]; rng.IntN(6) == 0 {
						s.Cancel(leaf)
					} else {
						p := priors[:len(leaf.Legal)]
						s.Expand(leaf, Evaluation{Priors: p, Value: hashed(leaf.Game, leaf.Legal, p)})
					}
					out = append(out[:i], out[i+1:]...)
					status = Evaluate
				}
			}
			checkGraph(t, s)
			o, ok := s.Outcome(1, rng)
			if !ok {
				break
			}
			s.Advance(o.Action)
			checkGraph(t, s)
		}
	})
}

// TestGraphValues: where every value is told by the position alone, a node has
// the mean of its evaluation and of its edges' values, weighted by their visits,
// once all nodes are up to date.
func TestGraphValues(t *testing.T) {
	config := DefaultConfig()
	config.Graph = true
	shared := 0
	for _, g := range positions(t) {
		s := New(config, 2000)
		s.Reset(g)
		run(s, 800, hashed)
		shared += checkGraph(t, s)
		visits := int32(1)
		value := float64(s.nodes[0].value)
		for _, e := range s.rootEdges() {
			visits += e.visits
			value += float64(e.sum)
		}
		if visits != s.edges[0].visits || math.Abs(value/float64(visits)-float64(s.known[0].mean)) > 1e-5 {
			t.Errorf("the root has %d visits and the value %g, its edges say %d and %g", s.edges[0].visits, s.known[0].mean, visits, value/float64(visits))
		}
	}
	if shared < 200 {
		t.Errorf("%d nodes were shared: too few to tell", shared)
	}
}

// TestGraphSaves: a graph needs fewer evaluations for the same visits than a tree.
func TestGraphSaves(t *testing.T) {
	nodes := func(graph bool) (n int) {
		for _, g := range positions(t) {
			config := DefaultConfig()
			config.Graph, config.ShareEvaluations = graph, false
			s := New(config, 5000)
			s.Reset(g)
			run(s, 1000, uniform)
			n += s.Nodes()
		}
		return n
	}
	tree, graph := nodes(false), nodes(true)
	t.Logf("positions evaluated in 1000 visits of each root: %d in trees, %d in graphs", tree, graph)
	if graph > tree*9/10 {
		t.Error("a graph evaluates nearly as many positions as a tree")
	}
}

// TestGraphInheritsProofs: a node whose winner another way to its children has
// proven is proven as well when it is brought up to date.
func TestGraphInheritsProofs(t *testing.T) {
	config := DefaultConfig()
	config.Graph, config.Proofs = true, true
	for _, winner := range []game.Color{game.Gold, game.Silver} {
		s := New(config, 10)
		s.Reset(positions(t)[0])
		s.add(0, node{side: game.Gold, open: 1}, 1)
		forced := s.add(1, node{side: game.Gold, open: 1, forced: true}, 1)
		child := s.add(2, node{side: game.Silver, winner: 1 + winner}, 0)
		s.edges[1] = edge{child: forced, visits: 1}
		s.edges[2] = edge{child: child, visits: 1}
		s.refreshPath([]choice{{}, {0, 1}, {1, 2}})
		if got := s.nodes[forced].winner; got != 1+winner {
			t.Errorf("a node with one action, which %v wins, has the winner %d", winner, got-1)
		}
		want := Lost
		if winner == game.Gold {
			want = Won
		}
		if got := s.proof(0, game.Gold); got != want {
			t.Errorf("the root is proven %d, want %d", got, want)
		}
	}
}
