package mcts

import (
	"slices"
	"testing"
	"unsafe"
)

// join lets all edges to one position lead to the first of its nodes, and
// returns how many it turned.
func join(s *Search) (turned int) {
	first := map[uint64]int32{}
	for at := 1; at < len(s.nodes); at++ {
		if key := s.nodes[at].key; first[key] == 0 {
			first[key] = int32(at)
		}
	}
	for at := range s.nodes {
		lo, hi := s.nodes[at].span()
		for e := lo; e < hi; e++ {
			if c := s.edges[e].child; c > 0 && first[s.nodes[c].key] != c {
				s.edges[e].child = first[s.nodes[c].key]
				turned++
			}
		}
	}
	return turned
}

// reachable counts the nodes that can be reached from one, itself included, and
// those of them that stand before it.
func reachable(s *Search, at int32) (all, before int) {
	seen := map[int32]bool{}
	var walk func(int32)
	walk = func(n int32) {
		if seen[n] {
			return
		}
		seen[n] = true
		if n < at {
			before++
		}
		for e, end := s.nodes[n].span(); e < end; e++ {
			if c := s.edges[e].child; c > 0 {
				walk(c)
			}
		}
	}
	walk(at)
	return len(seen), before
}

// TestGraph advances and searches where one node is reached by several edges:
// nothing may rely on a node having one parent.
func TestGraph(t *testing.T) {
	graph := func() *Search {
		s := New(DefaultConfig(), 2000)
		s.Reset(positions(t)[0])
		run(s, 600, hashed)
		if join(s) == 0 {
			t.Fatal("no position was reached twice")
		}
		return s
	}
	before := 0
	for i, m := range graph().Root(nil) {
		s := graph()
		via := s.rootEdge(m.Action)
		if s.edges[via].child <= 0 {
			continue
		}
		want := dump(s, via, 1)
		nodes, older := reachable(s, s.edges[via].child)
		before += older
		s.Advance(m.Action)
		if got := dump(s, 0, 1); !slices.EqualFunc(got.Below, want.Below, same) {
			t.Fatalf("action %d: Advance changed the graph\nbefore %+v\nafter  %+v", i, want.Below, got.Below)
		}
		if s.Nodes() != nodes {
			t.Fatalf("action %d: %d nodes were kept, want the %d that can be reached", i, s.Nodes(), nodes)
		}

		// Every simulation counts once for the root and once for one of its
		// actions, however many ways lead to its leaf.
		others := s.Simulations()
		for _, m := range s.Root(nil) {
			others -= m.Visits
		}
		now := dump(s, 0, 0)
		if leaf, status := s.Select(); status == Evaluate {
			s.Cancel(leaf)
			if !same(now, dump(s, 0, 0)) {
				t.Fatalf("action %d: cancelling did not undo a simulation", i)
			}
		}
		run(s, s.Simulations()+100, hashed)
		visits := s.Simulations()
		for _, m := range s.Root(nil) {
			if visits -= m.Visits; m.Q < 0 || m.Q > 1 {
				t.Fatalf("action %d is worth %g", m.Action, m.Q)
			}
		}
		if visits != others {
			t.Fatalf("action %d: the root has %d visits more than its actions, want %d", i, visits, others)
		}
		pv := s.PV(nil)
		if len(pv) == 0 {
			t.Fatalf("action %d: there is no line", i)
		}
		s.Advance(pv[0])
	}
	if before == 0 {
		t.Error("no kept node stood before the new root")
	}
}

// TestSizes holds nodes and edges to what New documents.
func TestSizes(t *testing.T) {
	n := unsafe.Sizeof(node{}) + unsafe.Sizeof(tree{}.moved[0])
	e := unsafe.Sizeof(edge{}) + unsafe.Sizeof(tree{}.actions[0])
	if n != 28 || e != 18 {
		t.Errorf("a node takes %d bytes and an edge %d, want 28 and 18", n, e)
	}
}
