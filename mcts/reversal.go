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
