package mcts

import "warren/game"

// count adds by to the visits of every edge on the path.
func (s *Search) count(path []choice, by int32) {
	if len(path) > 1 {
		last := path[len(path)-1]
		n := &s.nodes[last.node]
		if i := last.edge - n.first; i >= int32(n.open) {
			n.open = uint16(i) + 1
		}
	}
	for _, c := range path {
		s.edges[c.edge].visits += by
	}
}

// credit adds a value, Gold's chance to win, to every edge on the path, each as
// the player who chooses it sees it.
func (s *Search) credit(path []choice, gold float32) {
	value := [2]float32{game.Gold: gold, game.Silver: 1 - gold}
	s.edges[0].sum += value[s.game.Side()&1]
	for _, c := range path[1:] {
		s.edges[c.edge].sum += value[s.nodes[c.node].side&1]
	}
}

// finish counts and credits a simulation that needs no evaluation.
func (s *Search) finish(path []choice, gold float32) {
	s.count(path, 1)
	s.credit(path, gold)
}

// forGold turns the chance to win of side into Gold's.
func forGold(value float32, side game.Color) float32 {
	if side == game.Silver {
		return 1 - value
	}
	return value
}

// goldChance returns Gold's chance to win a game that is over.
func goldChance(g *game.Game) float32 {
	if g.Result().Winner == game.Gold {
		return 1
	}
	return 0
}
