package mcts

import (
	"math/rand/v2"
	"slices"
	"testing"

	"warren/game"
	"warren/internal/gametest"
)

// after returns the game of s when the actions that lead to a node have been played, and the number of turns that end.
func after(s *Search, ways []choice, at int32) (g *game.Game, turns int) {
	var path []game.Action
	for ; at > 0; at = ways[at].node {
		path = append(path, s.actions[ways[at].edge])
	}
	g = s.Game().Clone()
	for _, a := range slices.Backward(path) {
		side := g.Side()
		if g.Play(a); g.Side() != side {
			turns++
		}
	}
	return g, turns
}

// nodesOf returns the nodes of a position, and one with an action that wins or else the one with the most visits.
func nodesOf(s *Search, ways []choice, hash uint64) (nodes []int32, best int32) {
	for i := range s.nodes[1:] {
		c := int32(i) + 1
		if s.nodes[c].hash != hash {
			continue
		}
		nodes = append(nodes, c)
		more := s.edges[ways[c].edge].visits > s.edges[ways[best].edge].visits
		if now, before := winning(s, c), winning(s, best); best == 0 || now && !before || now == before && more {
			best = c
		}
	}
	return nodes, best
}

// winning reports whether an action of a node is proven to win for its side.
func winning(s *Search, node int32) bool {
	for e, end := s.nodes[node].span(); e < end; e++ {
		if s.edges[e].decided() && s.edges[e].winner() == s.nodes[node].side {
			return true
		}
	}
	return false
}

// TestAdvanceTo: the root becomes the position of a game, by the order of steps that has the most visits, with the
// visits and values that it has in the tree.
func TestAdvanceTo(t *testing.T) {
	config := MatchConfig()
	config.WinTestSteps = 0
	s := New(config, 4000)
	rng := rand.New(rand.NewPCG(19, 20))
	shared, later, again := 0, 0, 0 // nodes to choose from; not the first of them; the player of the root moves again
	for range 60 {
		g := game.FromBoard(gametest.RandomBoard(rng, 3), game.Color(rng.IntN(2)))
		if g.Result().Over() {
			continue
		}
		s.Reset(g)
		run(s, 1500, hashed)
		if len(s.nodes) < 2 {
			continue
		}
		ways := arrivals(s)
		var at, best int32
		var nodes []int32
		for range 30 { // which prefers positions that have several nodes
			at = 1 + int32(rng.IntN(len(s.nodes)-1))
			if nodes, best = nodesOf(s, ways, s.nodes[at].hash); best > nodes[0] {
				later++
				break
			}
		}
		if len(nodes) > 1 {
			shared++
		}
		to, turns := after(s, ways, at)
		if turns > 1 {
			again++
		}
		want := dump(s, ways[best].edge, 1)
		if !s.AdvanceTo(to) {
			t.Fatalf("node %d is not found", at)
		}
		got := dump(s, 0, 1)
		if s.Game().Hash() != to.Hash() || s.Game().Turns() != to.Turns() {
			t.Fatal("the root is another position")
		}
		if got.Visits != want.Visits || !slices.EqualFunc(got.Below, want.Below, same) {
			t.Fatalf("%d visits are kept of %d, or others", got.Visits, want.Visits)
		}
		recount(t, s)
		run(s, s.Simulations()+200, hashed)
		recount(t, s)
	}
	if shared < 10 || later < 10 || again < 5 {
		t.Errorf("%d positions have several nodes, of %d the first is not the best, and %d are two turns ahead: too few to tell", shared, later, again)
	}
}

// TestAdvanceToElsewhere: the tree stays as it is if the position is not in it.
func TestAdvanceToElsewhere(t *testing.T) {
	games := positions(t)
	s := New(MatchConfig(), 1000)
	if s.AdvanceTo(games[0]) {
		t.Error("an empty tree has the position")
	}
	s.Reset(games[0])
	run(s, 300, hashed)
	before := dump(s, 0, 0)
	if s.AdvanceTo(games[1]) {
		t.Error("the tree has the position of another game")
	}
	if !same(before, dump(s, 0, 0)) || s.Game().Hash() != games[0].Hash() {
		t.Error("the tree has changed")
	}
}

// TestProofsOfOtherOrders: a node with an action that wins comes before those of the same position with more visits, be
// they open or decided by its proof.
func TestProofsOfOtherOrders(t *testing.T) {
	rng := rand.New(rand.NewPCG(17, 18))
	config := MatchConfig()
	config.WinTestSteps = 0 // which would prove it again, without a tree
	s := New(config, 4000)
	open, decided := 0, 0
	for range 800 {
		s.Reset(duel(rng))
		run(s, 1000, hashed)
		ways := arrivals(s)
		for at := 1; at < len(s.nodes); at++ {
			n, e := &s.nodes[at], &s.edges[ways[at].edge]
			nodes, best := nodesOf(s, ways, n.hash)
			more := slices.IndexFunc(nodes, func(c int32) bool { return s.edges[ways[c].edge].visits > e.visits })
			if best != int32(at) || !winning(s, best) || more < 0 {
				continue
			}
			if s.edges[ways[nodes[more]].edge].decided() {
				decided++
				s.proofs = proofs{} // which would prove it for the other node
			} else {
				open++
			}
			to, _ := after(s, ways, int32(at))
			if s.AdvanceTo(to); s.Proof() != Won {
				t.Errorf("the proof is %d, want a win", s.Proof())
			}
			if out, _ := s.Outcome(0, nil); s.proof(s.rootEdge(out.Action), s.Game().Side()) != Won {
				t.Error("the win is not played")
			}
			break
		}
	}
	if open == 0 || decided == 0 {
		t.Errorf("%d nodes with more visits are open, %d decided: too few to tell", open, decided)
	}
}
