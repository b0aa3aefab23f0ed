package mcts

import (
	"warren/game"
	"warren/game/tactics"
)

// A position is quiet if neither side may win soon, so that the win tests have nothing to search.
// Other orders of the same steps are then quiet too, and need no test. After a step from a
// quiet position its side does not win within the turn either. A forced position is called quiet
// for that alone: its node shares no evaluation, and only the steps after it rely on the mark.

// test returns the winner at g, the leaf's position, if the win tests find it.
func (s *Search) test(g *game.Game, leaf *Leaf) (winner game.Color, known bool) {
	budget := int64(s.config.WinTestSteps)
	if leaf.quiet = s.quiet(g); leaf.quiet {
		return 0, false
	}
	turn, spent := s.finder.Winning(g, budget)
	if turn != nil {
		return g.Side(), true
	}
	lost, _ := s.finder.Losing(g, budget-spent)
	return g.Side().Other(), lost
}

// quiet reports whether g, at the end of the path, is quiet.
func (s *Search) quiet(g *game.Game) bool {
	return !tactics.Threatened(g) && (s.afterQuiet(g.Side()) || !s.finder.MayWin(g))
}

// afterQuiet reports whether the node before the end of the path is quiet and belongs to side.
func (s *Search) afterQuiet(side game.Color) bool {
	if len(s.path) == 1 {
		return false
	}
	before := &s.nodes[s.path[len(s.path)-1].node]
	return before.quiet && before.side == side
}

// testRoot records the first action of a turn that wins at once. The root is always
// evaluated, and a lost root is searched for the best resistance.
func (s *Search) testRoot(g *game.Game, leaf *Leaf) {
	leaf.wins, leaf.quiet = false, s.quiet(g)
	if !s.config.Proofs {
		return
	}
	if turn := s.finder.Shortest(g); turn != nil { // its first step is worth learning
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
