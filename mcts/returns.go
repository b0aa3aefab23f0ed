package mcts

import (
	"slices"

	"warren/game"
)

// withoutReturns returns legal without the step that only takes back the step before, unless that
// is the only legal action. It overwrites legal.
func withoutReturns(g *game.Game, legal []game.Action) []game.Action {
	if n := len(legal); n > 1 && !g.InSetup() && g.StepsLeft() < 4 {
		if at := slices.IndexFunc(legal, g.Returns); at >= 0 {
			// At most one step takes back the one before.
			return slices.Delete(legal, at, at+1)
		}
	}
	return legal
}
