package mcts

import (
	"warren/game"
)

// test returns the winner at g if the win tests find it.
func (s *Search) test(g *game.Game) (winner game.Color, known bool) {
	budget := int64(s.config.WinTestSteps)
	turn, spent := s.finder.Winning(g, budget)
	if turn != nil {
		return g.Side(), true
	}
	lost, _ := s.finder.Losing(g, budget-spent)
	return g.Side().Other(), lost
}

// testRoot records the first action of a turn that wins at once. The root is always
// evaluated, and a lost root is searched for the best resistance.
func (s *Search) testRoot(leaf *Leaf) {
	leaf.wins = false
	if !s.config.Proofs {
		return
	}
	if turn := s.finder.Shortest(leaf.Game); turn != nil { // its first step is worth learning
		leaf.wins, leaf.win = true, turn[0]
	}
}

// proveRoot marks the new root and the action that testRoot found as decided.
func (s *Search) proveRoot(leaf *Leaf) {
	if leaf.wins {
		leaf.wins = false
		s.edges[s.rootEdge(leaf.win)].decide(leaf.Game.Side())
		s.edges[0].decide(leaf.Game.Side())
	}
}
