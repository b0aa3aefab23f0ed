package think

import (
	"math"
	"time"

	"warren/game"
	"warren/internal/portable"
)

// Found is what the search for a turn has found so far.
type Found struct {
	Chance float64       // winning chance of the side to move, 0 to 1
	Nodes  int64         // simulations since the search for the turn began
	Time   time.Duration // time since then
	PV     []game.Action // the principal variation, from the start of the turn
}

// won is the evaluation of a won game, in centi-rabbits.
const won = 1000

// CentiRabbits returns the chance as an evaluation in hundredths of a rabbit,
// from -1000 to 1000, as engines report it. A network estimates chances, not
// material, so the scale is a convention: odds of e to 1 are one rabbit, as if the
// chance were the logistic function of the lead in rabbits.
func (f Found) CentiRabbits() int {
	v := 100 * portable.Log(f.Chance/(1-f.Chance))
	return int(math.Round(max(-won, min(v, won))))
}
