package mcts

import "warren/game"

// count adds by to the visits of an edge of node at, and of all above it.
func (s *Search) count(at, via, by int32) {
	if via > 0 {
		if n := &s.nodes[at]; via-n.first >= int32(n.open) {
			n.open = uint16(via-n.first) + 1
		}
	}
	for {
		s.edges[via].visits += by
		if via == 0 {
			return
		}
		n := &s.nodes[at]
		at, via = n.parent, n.edge
	}
}

// credit adds a value, Gold's chance to win, to an edge of node at and to all
// above it, each as its chooser sees it.
func (s *Search) credit(at, via int32, gold float32) {
	value := [2]float32{game.Gold: gold, game.Silver: 1 - gold}
	for via > 0 {
		n := &s.nodes[at]
		s.edges[via].sum += value[n.side&1]
		at, via = n.parent, n.edge
	}
	s.edges[0].sum += value[s.game.Side()&1]
}

// finish counts and credits a simulation that needs no evaluation.
func (s *Search) finish(at, via int32, gold float32) {
	s.count(at, via, 1)
	s.credit(at, via, gold)
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
