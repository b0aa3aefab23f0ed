package mcts

import (
	"slices"
	"testing"

	"warren/game"
)

// TestVisitsInFlightAreLosses: a visit in flight is a loss for the side to move at every node on its path, also where
// the other side has moved before, and nothing once its leaf is back.
func TestVisitsInFlightAreLosses(t *testing.T) {
	config := AlphaZeroConfig()
	config.SeparateEvaluations = true // or a simulation might need no leaf
	s := New(config, 3000)
	turned := 0 // means in flight where the side to move changes
	for _, g := range positions(t) {
		for g.StepsLeft() > 1 && !g.Result().Over() {
			g.Play(g.Legal(nil)[0])
		}
		s.Reset(g)
		run(s, 500, hashed)
		var leaves []*Leaf
		for range 40 {
			if leaf, status := s.Select(); status == Evaluate {
				leaves = append(leaves, leaf)
			}
		}
		s.suspend()
		flights := make([]int32, len(s.nodes))
		for _, leaf := range leaves {
			for _, c := range leaf.path[1:] {
				flights[c.node]++
			}
		}
		for at, in := range arrivals(s) {
			e, changes := &s.edges[in.edge], s.nodes[at].side != s.nodes[in.node].side
			sum := e.sum.total()
			if changes {
				sum = one*int64(e.visits-flights[at]) - sum
			}
			if got, want := s.mean(int32(at), in), mean(sum, e.visits); got != want {
				t.Fatalf("node %d with %d of %d visits in flight is worth %g, want %g", at, flights[at], e.visits, got, want)
			}
			if changes && flights[at] > 0 {
				turned++
			}
		}
		for i, leaf := range leaves {
			if i%2 == 0 {
				s.Cancel(leaf)
			}
		}
		if len(leaves) > 0 && slices.Max(s.pending) == 0 {
			t.Error("nothing is in flight, and leaves are")
		}
		var priors [game.NumActions]float32
		for i, leaf := range leaves {
			if i%4 == 1 {
				p := priors[:len(leaf.Legal)]
				s.Expand(leaf, Evaluation{Priors: p, Value: hashed(leaf.Game, leaf.Legal, p)})
			}
		}
		s.Advance(best(s)) // the other leaves are void
		for at, n := range s.pending {
			if n != 0 {
				t.Fatalf("%d visits of node %d are in flight, and no leaf is", n, at)
			}
		}
		recount(t, s)
	}
	if turned < 100 {
		t.Errorf("%d nodes after a change of sides have visits in flight: too few to tell", turned)
	}
}

// TestOneLeafInFlight: with one leaf in flight at a time nothing is counted.
func TestOneLeafInFlight(t *testing.T) {
	s := New(AlphaZeroConfig(), 1000)
	s.Reset(positions(t)[0])
	run(s, 500, hashed)
	if len(s.pending) > 0 {
		t.Error("visits in flight are counted")
	}
}
