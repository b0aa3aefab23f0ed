package mcts

import (
	"slices"

	"warren/game"
)

// withoutReversal returns legal without the step that only takes back the step before, unless that
// is the only legal action. It overwrites legal.
func withoutReversal(g *game.Game, legal []game.Action) []game.Action {
	if back, ok := g.Reversal(); ok && len(legal) > 1 {
		if at := slices.Index(legal, back); at >= 0 {
			return slices.Delete(legal, at, at+1)
		}
	}
	return legal
}

// withholds reports whether steps that take back what was played this turn may be missing in the tree. While the turn
// could still be chosen, a shorter one did the same.
func (s *Search) withholds() bool {
	within := !s.game.InSetup() && s.game.StepsLeft() < 4
	return within && s.config.PruneReversals && !s.given && len(s.nodes) > 0
}

// reconsider begins the tree again, at a root that has every step. What was proven is forgotten, because it did not
// count those steps.
func (s *Search) reconsider() {
	s.orphan()
	s.given, s.again = true, false
	s.clear()
}
