package mcts

import "warren/game"

// count adds by to the visits of every edge on the path, of which the last becomes an open one.
func (s *Search) count(path []choice, by int32) {
	if len(path) > 1 {
		s.open(path[len(path)-1])
	}
	for _, c := range path {
		s.edges[c.edge].visits += by
	}
}

// open makes a chosen edge one of its node's open edges.
func (t *tree) open(c choice) {
	n := &t.nodes[c.node]
	if i := c.edge - n.first; i >= int32(n.open) {
		n.open = uint16(i) + 1
		t.next(c.node, int(n.open))
	}
}

// credit adds the value of a visit to every edge on the path: the chance to win
// of the player who chooses the edge, less the cost. The argument gold is
// Gold's chance to win.
func (s *Search) credit(path []choice, gold, cost float32) {
	won, paid := whole(gold), whole(cost)
	if s.costly {
		for _, c := range path[1:] {
			s.costs[c.node].sum.add(paid)
		}
	}
	if s.spread {
		for _, c := range path[1:] {
			s.observe(c.node, gold)
		}
	}
	value := [2]int64{game.Gold: won - paid, game.Silver: one - won - paid}
	s.edges[0].sum.add(value[s.game.Side()&1])
	for _, c := range path[1:] {
		s.edges[c.edge].sum.add(value[s.nodes[c.node].side&1])
	}
}

// finish counts and credits a simulation that needs no evaluation.
func (s *Search) finish(path []choice, gold, cost float32) {
	s.count(path, 1)
	s.credit(path, gold, cost)
}

// forGold turns the chance to win of a side into Gold's, and Gold's into that of the side.
func forGold(value float32, of game.Color) float32 {
	if of != game.Gold {
		return 1 - value
	}
	return value
}

// goldChance returns Gold's chance to win a game whose winner is known: 1 or 0.
func goldChance(winner game.Color) float32 {
	if winner == game.Gold {
		return 1
	}
	return 0
}
