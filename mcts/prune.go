package mcts

import "math/bits"

// Prune makes room in a tree that is full. It drops the positions with the fewest
// visits, until those that stay take at most half of the room. Their visits remain in
// the statistics of the actions that lead to them; a position that is chosen again is
// evaluated again. Leaves still in flight are void, as if they had been cancelled.
//
// A tree of a gigabyte takes some tenths of a second.
func (s *Search) Prune() {
	s.orphan()
	if len(s.nodes) == 0 {
		return
	}
	s.slide(0, s.fewest())
	s.relink()
	if !s.config.SeparateEvaluations {
		s.shared.rebuild(s.nodes)
	}
}

// Hold says whether nodes and edges must stay in the memory that they have. It is for the
// last moments of a search by time, because growing copies them all: of a million nodes
// that takes some tenths of a second. A tree without room in that memory is full.
func (s *Search) Hold(held bool) { s.held = held }

// fewest returns the number of visits, a power of two, with which a node stays: those that have it take at most half of
// the room.
func (t *tree) fewest() int32 {
	var nodes, edges [31]int // by the length of the number of visits in bits, and the last for all others
	for i := range t.nodes {
		first, end := t.nodes[i].opened()
		for e := first; e < end; e++ {
			if c := t.edges[e].node(); c > 0 {
				length := min(bits.Len32(uint32(t.edges[e].visits)), len(nodes)-1)
				nodes[length]++
				edges[length] += int(t.nodes[c].count)
			}
		}
	}
	length := len(nodes)
	for n, m := 0, 0; length > 1; length-- {
		n, m = n+nodes[length-1], m+edges[length-1]
		if 2*n > t.maxNodes || 2*m > t.maxEdges {
			break
		}
	}
	return 1 << (length - 1)
}
