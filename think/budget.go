package think

import (
	"time"

	"warren/aei"
	"warren/game"
)

// turnsAhead is over how many turns the reserve is spread: a game has 55 to 68
// turns of both sides together, and one that is long decided is soon over.
const turnsAhead = 30

// Budget returns how long to think about a turn of side, of which played have
// been played, under the clock: the time of a move, what the turn has used so
// far taken off, and a share of the reserve. Overhead is kept back for what
// the answer's way to the controller takes. It returns 0 if the clock sets no
// limit, and never less than a millisecond else.
func Budget(c *aei.Clock, side game.Color, played int, overhead time.Duration) time.Duration {
	limit, ok := c.Limit(side)
	if c.Total > 0 {
		// The game is stopped then and not lost, but there is no use for more.
		rest := max(c.Total-c.Elapsed, 0)
		if !ok || rest < limit {
			limit, ok = rest, true
		}
	}
	if !ok {
		return 0
	}
	turns := turnsAhead
	if c.Turns > 0 {
		turns = max(1, min(turns, c.Turns-played))
	}
	target := limit
	if c.Move > 0 || c.Reserve > 0 || c.Reserves[side] > 0 {
		target = min(limit, c.Move+c.Reserves[side]/time.Duration(turns))
	} else if c.TurnTime == 0 {
		target = limit / time.Duration(2*turns)
	}
	return max(target-c.MoveUsed-overhead, time.Millisecond)
}
