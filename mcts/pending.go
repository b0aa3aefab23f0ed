package mcts

// A visit in flight adds nothing to the sums of its edges, so it counts as a loss for the players who choose them. Where
// the player changes, the other one would see that loss as a win. The nodes there count their visits in flight, so that
// they are losses for both. A leaf is counted when the next simulation begins: with one leaf in flight at a time there
// is nothing to count.

// suspend counts the newest leaf in flight.
func (s *Search) suspend() {
	if s.newest != nil {
		s.pend(s.newest)
		s.newest = nil
	}
}

// pend counts a leaf at the nodes on its path at which the player changes.
func (s *Search) pend(leaf *Leaf) {
	if n := len(s.nodes) - len(s.pending); n > 0 {
		s.pending = extend(s.pending, n, s.maxNodes)[:len(s.nodes)]
	}
	nodes, side := s.nodes, s.game.Side()
	for _, c := range leaf.path[1:] {
		if now := nodes[c.node].side; now != side {
			side = now
			s.pending[c.node]++
			leaf.turns = append(leaf.turns, c.node)
		}
	}
}

// resume takes back what suspend has counted for a leaf.
func (s *Search) resume(leaf *Leaf) {
	if leaf == s.newest {
		s.newest = nil
	}
	for _, at := range leaf.turns {
		s.pending[at]--
	}
	leaf.turns = leaf.turns[:0]
}

// flights returns the visits in flight of a node at which the player changes.
func (t *tree) flights(at int32) int32 {
	if int(at) >= len(t.pending) {
		return 0
	}
	return t.pending[at]
}
