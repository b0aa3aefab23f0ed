package data

import (
	"math"

	"warren/game"
)

// trace returns for every decision of a record what the searches from there on say: an average of
// their root values as the chance to win of the side to move, in which every further turn weighs
// less, by exp(-1/horizon), and the rest of the weight is the outcome's (TD(λ), Sutton 1988; the
// value targets of Leela Chess Zero and of KataGo's short-term heads). A turn counts as four
// decisions. The outcome is Gold's.
func trace(r *Record, outcome float32, horizon float64) []float32 {
	values := make([]float32, len(r.Decisions))
	silver := make([]bool, len(r.Decisions))
	g := game.New()
	for i := range r.Decisions {
		silver[i] = g.Side() != game.Gold
		g.PlayHandicap(r.Decisions[i].Action, r.Missing)
	}
	stays := float32(math.Exp(-1 / (stepsPerTurn * horizon)))
	ahead := outcome
	for i := len(values) - 1; i >= 0; i-- {
		d := &r.Decisions[i]
		if d.Searched() {
			ahead = stays*ahead + (1-stays)*forSide(d.Value, silver[i])
		}
		values[i] = forSide(ahead, silver[i])
	}
	return values
}

const stepsPerTurn = 4

// forSide turns a chance of Gold's into one of Silver's, or back.
func forSide(chance float32, silver bool) float32 {
	if silver {
		return 1 - chance
	}
	return chance
}
