package mcts

import (
	"warren/game"
	"warren/tactics"
)

// WinTests says whether leaves are tested for wins by the rules.
type WinTests struct {
	On    bool `yaml:"on" doc:"ask at every leaf whether the side to move wins within its turn, or loses next turn whatever it does; such a leaf needs no evaluation and counts as the end of the game"`
	Force int  `yaml:"force" min:"0" max:"4" doc:"with at most this many steps left of the turn, also ask whether the side to move can complete it so that it wins next turn whatever the reply; 0 never asks"`
	Steps int  `yaml:"steps" min:"1" max:"1000000000" doc:"steps that the tests of one leaf may try; past that the leaf is evaluated (no published value: 1000 steps take about as long as the evaluation of a small network)"`
}

// test returns the winner at g if the win tests know it.
func (s *Search) test(g *game.Game) (winner game.Color, known bool) {
	budget := int64(s.config.WinTests.Steps)
	turn, spent := s.finder.Winning(g, budget)
	if turn != nil {
		return g.Side(), true
	}
	budget -= spent
	if lost, spent := s.finder.Losing(g, budget); lost {
		return g.Side().Other(), true
	} else {
		budget -= spent
	}
	if g.StepsLeft() > s.config.WinTests.Force {
		return 0, false
	}
	turn, _ = s.finder.Forcing(g, budget)
	return g.Side(), turn != nil
}

// testRoot notes the first action of a win within the turn, or of a turn that
// forces one. The latter keeps a proof that a test gave in an earlier step of the
// turn, which has no tree below it. A root is evaluated in any case, and a lost
// one is searched for the best resistance.
func (s *Search) testRoot(leaf *Leaf) {
	leaf.wins = false
	if !s.config.Proofs {
		return
	}
	g := leaf.Game
	turn, _ := s.finder.Winning(g, tactics.Unbounded)
	if turn == nil && g.StepsLeft() <= s.config.WinTests.Force {
		turn, _ = s.finder.Forcing(g, int64(s.config.WinTests.Steps))
	}
	if turn != nil {
		leaf.wins, leaf.win = true, turn[0]
	}
}

// proveRoot decides the new root and the action that testRoot has found.
func (s *Search) proveRoot(leaf *Leaf) {
	if leaf.wins {
		leaf.wins = false
		s.edges[s.rootEdge(leaf.win)].decide(leaf.Game.Side())
		s.edges[0].decide(leaf.Game.Side())
		s.nodes[0].winner = 1 + leaf.Game.Side()
	}
}
