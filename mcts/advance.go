package mcts

import "warren/game"

// Advance plays a, which must be legal, at the root. The part of the tree
// behind that action is kept, with its statistics, and the rest is dropped. The
// new root has no plan until [Search.Begin] is called. Leaves still in flight
// are void, as if they had been cancelled.
func (s *Search) Advance(a game.Action) {
	s.orphan()
	via := s.rootEdge(a)
	s.game.Play(a)
	s.given = false
	s.line.begin(s.game)
	if via >= 0 && s.edges[via].node() > 0 {
		s.keep(choice{0, via})
	} else {
		s.clear()
	}
	s.begin(0, nil)
}

// AdvanceTo is like [Search.Advance] for several actions in any order: g is the root's game after them. Where several
// orders of steps lead to that position, the tree has several nodes of it, and one with a proven win, or else the one with
// the most visits, becomes the root. If there is none, AdvanceTo returns false and changes nothing. Within a turn, call
// [Search.Begin] before anything else.
func (s *Search) AdvanceTo(g *game.Game) bool {
	via, ok := s.find(g.Hash())
	if !ok {
		return false
	}
	s.orphan()
	s.game.CopyFrom(g)
	s.given = false
	s.line.begin(s.game)
	s.keep(via)
	s.begin(0, nil)
	return true
}

// find returns the choice that leads to a node of the position with the given hash: one with an action that wins, if
// there is one, and among equals that with the most visits.
func (s *Search) find(hash uint64) (best choice, ok bool) {
	for at := range s.nodes {
		first, end := s.nodes[at].opened()
		for e := first; e < end; e++ {
			now := &s.edges[e]
			if c := now.node(); c == 0 || s.nodes[c].hash != hash {
				continue
			}
			before := &s.edges[best.edge]
			better := now.visits > before.visits
			if won := s.won(now.node()); won != s.won(before.node()) {
				better = won
			}
			if !ok || better {
				best, ok = choice{int32(at), e}, true
			}
		}
	}
	return best, ok
}

// won reports whether an action of a node is proven to win. A node may also be decided because another node of its
// position was proven; then it has no such action.
func (s *Search) won(node int32) bool {
	n := &s.nodes[node]
	for e, end := n.span(); e < end; e++ {
		if s.proof(e, n.side) == Won {
			return true
		}
	}
	return false
}

// keep makes the node that a choice leads to the root, and drops what is not below it.
func (s *Search) keep(via choice) {
	s.compact(via)
	if !s.nodes[0].arranged {
		s.arrange(0, s.game)
	}
	s.order(0)
	s.confirm()
	s.keepRootPriors()
	if !s.config.SeparateEvaluations {
		s.shared.rebuild(s.nodes)
	}
}

// rootEdge returns the root's edge of action a, or -1.
func (s *Search) rootEdge(a game.Action) int32 {
	if len(s.nodes) > 0 {
		for e, end := s.nodes[0].span(); e < end; e++ {
			if s.actions[e] == a {
				return e
			}
		}
	}
	return -1
}

// keepRootPriors records the new root's own priors, before its rule changes
// them.
func (s *Search) keepRootPriors() {
	s.rootPriors = s.rootPriors[:0]
	for _, e := range s.rootEdges() {
		s.rootPriors = append(s.rootPriors, e.prior)
	}
}
