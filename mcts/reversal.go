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

// withholds reports whether the root lacks the step that takes back the last one, which is legal. Before the last step
// was played, a shorter turn did the same; now only this step does.
func (s *Search) withholds() bool {
	if !s.config.PruneReversals || s.given || len(s.nodes) == 0 {
		return false
	}
	back, ok := s.game.Reversal()
	return ok && s.rootEdge(back) < 0 && slices.Contains(s.game.Legal(nil), back)
}

// reconsider begins the tree again, with a root that has every step. What was proven is forgotten, because it did not
// count that step.
func (s *Search) reconsider() {
	s.orphan()
	s.given, s.again = true, false
	s.clear()
	s.Begin(s.visits, s.rng)
}
