package mcts

import "warren/game"

// skipForced continues from the leaf, at the end of the path, if its player has only one
// legal action, such as finishing a push. The position becomes a node with one
// edge and no evaluation of its own, so the evaluation is spent where there is
// a choice. The root is not skipped: its caller asks for its actions.
// Otherwise it may leave the legal actions in the leaf.
func (s *Search) skipForced(g *game.Game, leaf *Leaf) bool {
	last := s.path[len(s.path)-1]
	if last.edge == 0 || !s.room(1) {
		return false
	}
	leaf.Legal = g.Legal(leaf.Legal)
	if len(leaf.Legal) != 1 {
		return false
	}
	s.open(last)
	id := s.add(last.edge, node{hash: s.hashes[len(s.hashes)-1], side: g.Side(), open: 1, forced: true, arranged: true, quiet: s.afterQuiet(g.Side())}, 1)
	first := s.nodes[id].first
	s.edges[first], s.actions[first] = edge{prior: 1}, leaf.Legal[0]
	s.path = append(s.path, choice{id, first})
	s.walk(s.path)
	leaf.Legal = leaf.Legal[:0]
	return true
}
