package mcts

import "warren/game"

// skipForced continues from g, at the end of the path, if its player has only one
// legal action, such as finishing a push. The position becomes a node with one
// edge and no evaluation of its own, so the evaluation is spent where there is
// a choice. The root is not skipped: its caller asks for its actions.
func (s *Search) skipForced(g *game.Game) bool {
	last := s.path[len(s.path)-1]
	if last.edge == 0 || !s.room(1) {
		return false
	}
	s.legal = g.Legal(s.legal[:0])
	if len(s.legal) != 1 {
		return false
	}
	s.open(last)
	id := s.add(last.edge, node{side: g.Side(), open: 1, forced: true}, 1)
	first := s.nodes[id].first
	s.edges[first], s.actions[first] = edge{prior: 1}, s.legal[0]
	s.path = append(s.path, choice{id, first})
	g.Play(s.legal[0])
	return true
}
