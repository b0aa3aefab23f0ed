package mcts

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// arrivals returns, for every node of a tree, the choice by which it is reached.
func arrivals(s *Search) []choice {
	in := make([]choice, len(s.nodes))
	for at := range s.nodes {
		for e, end := s.nodes[at].span(); e < end; e++ {
			if c := s.edges[e].node(); c > 0 {
				in[c] = choice{int32(at), e}
			}
		}
	}
	return in
}

// score is PUCT as its formula reads, for edge e of node at, reached by way.
func score(s *Search, at, e int32, way choice, reduction float64) float64 {
	n, in, edge := s.nodes[at], s.edges[way.edge], s.edges[e]
	N := float64(in.visits)
	c := s.config.CPUCTInit + math.Log((1+N+s.config.CPUCTBase)/s.config.CPUCTBase)
	u := c * float64(edge.prior) * math.Sqrt(N) / (1 + float64(edge.visits))
	if edge.visits > 0 {
		return float64(edge.mean()) + u
	}
	q := float64(in.mean())
	if n.side != s.nodes[way.node].side {
		q = 1 - q
	}
	var tried float64
	for e, end := n.span(); e < end; e++ {
		if s.edges[e].visits > 0 {
			tried += float64(s.edges[e].prior)
		}
	}
	return q - reduction*math.Sqrt(tried) + u
}

// TestPUCT compares the rule's choice at every node with the formula over all
// actions, in trees with and without noise and with cancelled simulations.
func TestPUCT(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 3))
		config := drawConfig(t)
		config.Rule = PUCT
		s := New(config, 200)
		s.Reset(randomGame(rng, rapid.IntRange(0, 400).Draw(t, "actions")))
		s.Begin(0, rng)
		for visits := 20; visits <= 60; visits += 20 {
			var out []*Leaf
			for range rapid.IntRange(0, 8).Draw(t, "in flight") {
				if leaf, status := s.Select(); status == Evaluate {
					out = append(out, leaf)
				}
			}
			for _, leaf := range out {
				s.Cancel(leaf)
			}
			run(s, visits, hashed)
			ways := arrivals(s)
			for at := range int32(len(s.nodes)) {
				if s.edges[ways[at].edge].decided() || !s.nodes[at].arranged {
					continue
				}
				reduction := config.RootFPUReduction
				var chosen int32
				if at == 0 {
					chosen = s.root.choose(&s.tree)
				} else {
					reduction, chosen = config.FPUReduction, s.interior.choose(&s.tree, at, ways[at])
				}
				got := score(s, at, chosen, ways[at], reduction)
				if s.proof(chosen, s.nodes[at].side) == Lost {
					t.Fatalf("node %d: a lost action was chosen", at)
				}
				for e, end := s.nodes[at].span(); e < end; e++ {
					if s.proof(e, s.nodes[at].side) == Lost {
						continue
					}
					if better := score(s, at, e, ways[at], reduction); better > got+1e-5 {
						t.Fatalf("node %d: an action with the score %g was chosen, another has %g", at, got, better)
					}
				}
			}
		}
	})
}

// Of actions without a visit that have equal priors, the first is chosen, also where a
// cancelled simulation has opened it.
func TestPUCTAmongEqualsIsTheFirst(t *testing.T) {
	s := New(AlphaZeroConfig(), 100)
	s.Reset(positions(t)[0])
	run(s, 1, uniform)
	leaf, status := s.Select()
	if status != Evaluate {
		t.Fatalf("status %v", status)
	}
	s.Cancel(leaf)
	if first := s.nodes[0].first; s.nodes[0].open != 1 || s.root.choose(&s.tree) != first {
		t.Errorf("of %d actions with equal priors, of which %d are open, number %d was chosen",
			s.nodes[0].count, s.nodes[0].open, s.root.choose(&s.tree)-first)
	}
}
