package mcts

import (
	"warren/game"
)

// WinTests configures the tests of leaves for forced wins by the rules.
type WinTests struct {
	On    bool `yaml:"on" doc:"test at every leaf whether the side to move can win within its turn, or must lose next turn; such a leaf needs no evaluation and counts as the end of the game"`
	Force int  `yaml:"force" min:"0" max:"4" doc:"with at most this many steps left in the turn, also test whether the side to move can complete the turn so that it wins next turn against any reply; 0 disables this test"`
	Steps int  `yaml:"steps" min:"1" max:"1000000000" doc:"maximum number of steps tried by the tests of one leaf; beyond it, the leaf is evaluated (no published value: docs/search.md has what 100 and 1000 find and cost)"`
}

// test returns the winner at g if the win tests find it.
func (s *Search) test(g *game.Game) (winner game.Color, known bool) {
	budget := int64(s.config.WinTests.Steps)
	turn, spent := s.finder.Winning(g, budget)
	if turn != nil {
		return g.Side(), true
	}
	budget -= spent
	lost, spent := s.finder.Losing(g, budget)
	if lost {
		return g.Side().Other(), true
	}
	budget -= spent
	if g.StepsLeft() > s.config.WinTests.Force {
		return 0, false
	}
	turn, _ = s.finder.Forcing(g, budget)
	return g.Side(), turn != nil
}

// testRoot records the first action of a turn that wins at once or forces a win
// next turn. The second test repeats a proof that was found at an earlier step
// of the turn, because such a proof has no tree below it. The root is always
// evaluated, and a lost root is searched for the best resistance.
func (s *Search) testRoot(leaf *Leaf) {
	leaf.wins = false
	if !s.config.Proofs {
		return
	}
	g := leaf.Game
	turn := s.finder.Shortest(g) // whose first step is worth learning
	if turn == nil && g.StepsLeft() <= s.config.WinTests.Force {
		turn, _ = s.finder.Forcing(g, int64(s.config.WinTests.Steps))
	}
	if turn != nil {
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
