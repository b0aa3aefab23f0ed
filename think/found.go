package think

import (
	"math"
	"time"

	"warren/game"
)

// Found is what a search has found so far.
type Found struct {
	Chance float64       // to win, 0 to 1, of the side that is to play the turn
	Depth  int           // steps of the principal variation
	Nodes  int64         // simulations since the turn was asked for
	Time   time.Duration // since then
	PV     []game.Action // the principal variation, from the turn's start on
}

// MaxScore is the score of a won game.
const MaxScore = 1000

// Score gives the chance as engines do, in hundredths of a rabbit seen by the
// side to move, -MaxScore to MaxScore. A network that knows only chances has no
// rabbits to count: by convention odds of e to 1 are a rabbit, as if its value
// were the logistic function of the lead in rabbits.
func (f Found) Score() int {
	score := 100 * math.Log(f.Chance/(1-f.Chance))
	return int(math.Round(max(-MaxScore, min(score, MaxScore))))
}
