package mcts

import (
	"math/rand/v2"
	"testing"

	"warren/game"
	"warren/internal/gametest"
)

// TestPrune fills trees again and again, from one thread or with leaves in flight, and advances in them. What stays is as
// it was, and what goes has fewer visits than all that stays.
func TestPrune(t *testing.T) {
	rng := rand.New(rand.NewPCG(23, 24))
	pruned, compared := 0, 0
	for _, config := range []Config{AlphaZeroConfig(), MatchConfig(), DefaultConfig()} {
		s := NewWithin(config, 1<<18)
		for range 15 {
			g := game.FromBoard(gametest.RandomBoard(rng, 8), game.Color(rng.IntN(2)))
			if g.Result().Over() {
				continue
			}
			s.Reset(g)
			s.Prune() // of nothing
			for range 4 {
				for most := s.Simulations() + 4000; s.Simulations() < most && !s.Full() && s.Proof() == Unproven; {
					run(s, s.Simulations()+1, hashed)
				}
				if !s.Full() {
					break
				}
				before, least := dump(s, 0, 0), s.fewest()
				var flying []*Leaf
				for range rng.IntN(2) * 3 {
					if leaf, status := s.Select(); status == Evaluate {
						flying = append(flying, leaf)
					}
				}
				selected := before.Visits < int32(s.Simulations()+s.InFlight()) // which arranges edges
				s.Prune()
				pruned++
				if 2*s.Nodes() > s.maxNodes+2 || 2*len(s.edges) > s.maxEdges+2*minEdges {
					t.Fatalf("%d nodes and %d edges stay of %d and %d", s.Nodes(), len(s.edges), s.maxNodes, s.maxEdges)
				}
				if !selected {
					compared++
					stays(t, before, dump(s, 0, 0), least)
				}
				for _, leaf := range flying {
					s.Expand(leaf, Evaluation{}) // has no effect
				}
				if s.InFlight() > 0 {
					t.Fatal("leaves are in flight")
				}
				linked(t, s)
				run(s, s.Simulations()+300, hashed)
				linked(t, s)
				s.Advance(best(s))
				if s.Game().Result().Over() {
					break
				}
			}
		}
	}
	if pruned < 40 || compared < 10 || compared > pruned-10 {
		t.Errorf("%d trees were pruned, %d of them with nothing in flight: too few to tell", pruned, compared)
	}
}

// stays checks that a pruned subtree is as it was, as far as nodes have at least so many visits.
func stays(t *testing.T, before, after branch, least int32) {
	t.Helper()
	if after.Below == nil && before.Visits < least {
		before.Below = nil
	}
	if len(before.Below) != len(after.Below) || before.Visits >= least && before.Visits != after.Visits {
		t.Fatalf("before %+v, after %+v", before, after)
	}
	a, b := before, after
	a.Below, b.Below = nil, nil
	if !same(a, b) {
		t.Fatalf("before %+v, after %+v", a, b)
	}
	if after.Below != nil && after.Visits < least {
		t.Fatalf("a node with %d visits stays, one with %d does not", after.Visits, least)
	}
	for i := range before.Below {
		stays(t, before.Below[i], after.Below[i], least)
	}
}

// linked checks that one edge leads to each node, which has as many visits as its actions or more, and that every
// shared evaluation is found.
func linked(t *testing.T, s *Search) {
	t.Helper()
	arrived := make([]int, len(s.nodes))
	for i := range s.nodes {
		first, end := s.nodes[i].span()
		if int(end) > len(s.edges) || i > 0 && first < s.nodes[i-1].first+int32(s.nodes[i-1].count) {
			t.Fatalf("node %d has the edges %d to %d", i, first, end)
		}
		for e := first; e < end; e++ {
			if c := s.edges[e].node(); c > 0 {
				arrived[c]++
			}
		}
	}
	for i := range s.nodes[1:] {
		if arrived[i+1] != 1 {
			t.Fatalf("%d edges lead to node %d", arrived[i+1], i+1)
		}
		if at := s.shared.find(s.nodes[i+1].key, s.nodes); !s.nodes[i+1].forced && at == 0 {
			t.Fatalf("the evaluation of node %d is not found", i+1)
		}
	}
}

// A tree that is held stays in its memory, of which a root needs none.
func TestHold(t *testing.T) {
	s := New(AlphaZeroConfig(), 10_000)
	g := randomGame(rand.New(rand.NewPCG(9, 10)), 100)
	s.Reset(g)
	s.Hold(true)
	run(s, 500, hashed)
	if s.Nodes() == 0 || !s.Full() {
		t.Errorf("without memory the tree has %d nodes, full: %t", s.Nodes(), s.Full())
	}
	s.Hold(false)
	run(s, 1500, hashed)
	nodes, edges := cap(s.nodes), cap(s.edges)
	s.Hold(true)
	run(s, 5000, hashed)
	if cap(s.nodes) != nodes || cap(s.edges) != edges || !s.Full() {
		t.Errorf("the memory grew from %d nodes and %d edges to %d and %d; full: %t", nodes, edges, cap(s.nodes), cap(s.edges), s.Full())
	}
}
