package think

import (
	"time"

	"warren/game"
	"warren/game/clock"
)

// turnsAhead is the number of turns that the reserve is spread over. A game has
// 55 to 68 turns, counting both sides, and ends soon once it is decided.
const turnsAhead = 30

// Budget returns how long the side to move in g should think about its turn or setup
// under the clock. The budget of a turn is the time per move plus a share of the
// reserve, minus the time already used and the overhead, which covers sending the
// answer to the controller. A setup has as long, but leaves the reserve alone, because
// nothing of its time is added to it. The budget is at least a millisecond, or 0 if the
// clock sets no limit.
func Budget(c *clock.Clock, g *game.Game, overhead time.Duration) time.Duration {
	side, setup := g.Side(), g.InSetup()
	limit, ok := c.Limit(side, setup)
	if c.Total > 0 {
		// At the total the game is stopped, not lost, but later time is useless.
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
		played := 1 + g.Turns()/2 // with the setup
		turns = max(1, min(turns, c.Turns-played))
	}
	target := limit
	if c.Move > 0 || c.Reserve > 0 || c.Reserves[side] > 0 {
		target = min(limit, c.Move+c.Reserves[side]/time.Duration(turns))
		if setup {
			target = min(target, c.Free(setup))
		}
	} else if c.TurnTime == 0 {
		target = limit / time.Duration(2*turns)
	}
	return max(target-c.MoveUsed-overhead, time.Millisecond)
}
