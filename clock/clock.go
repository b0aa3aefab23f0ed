// Package clock implements Arimaa's time control: how long a side may think
// about a turn, what it may save up for later turns, and when the time control
// ends the game. (The control 2/2/100/10/8 of arimaa.com is Move 2 min, Reserve
// 2 min, Percent 100, Max 10 min, Total 8 h.)
//
// The package measures no time itself: its user reports how much time a turn
// has used. It knows the two colours and nothing else about the game.
package clock

import (
	"time"

	"warren/game"
)

// Control is a time control. Each side has Move for every turn, and beyond that
// its reserve. Percent of the time that a turn leaves unused is added to the
// reserve. A time or number that is 0 sets no limit; with both Move and Reserve
// 0 a side has all the time it likes.
type Control struct {
	Move     time.Duration // for each turn
	Reserve  time.Duration // that each side begins with
	Percent  float64       // of a turn's unused time goes to the reserve; 0 to 100 and more
	Max      time.Duration // that turns can raise the reserve to
	Total    time.Duration // length of the game, after which the official score decides
	Turns    int           // of each side, after which the official score decides
	TurnTime time.Duration // the longest that a single turn may take
}

// Unlimited returns the control of a game without limits. All unused time would
// go to the reserve.
func Unlimited() Control { return Control{Percent: 100} }

// Clock is a time control and how the clock stands in a game.
type Clock struct {
	Control

	Reserves     [2]time.Duration // left, by colour
	Used         [2]time.Duration // by each side's last turn
	LastMoveUsed time.Duration    // by the last turn
	MoveUsed     time.Duration    // by the present turn so far
	Elapsed      time.Duration    // since the game began
}

// New returns the clock of a game that begins.
func New(control Control) Clock {
	c := Clock{Control: control}
	c.Begin()
	return c
}

// Begin sets the clock to the beginning of a game.
func (c *Clock) Begin() {
	*c = Clock{Control: c.Control, Reserves: [2]time.Duration{c.Reserve, c.Reserve}}
}

// Limit returns how long side may take for the present turn, counted from the
// beginning of the turn, before it loses the game. If it may take as long as it
// likes, ok is false.
func (c *Clock) Limit(side game.Color) (limit time.Duration, ok bool) {
	if c.Move > 0 || c.Reserve > 0 || c.Reserves[side] > 0 {
		limit, ok = c.Move+c.Reserves[side], true
	}
	if c.TurnTime > 0 && (!ok || c.TurnTime < limit) {
		limit, ok = c.TurnTime, true
	}
	return limit, ok
}

// Spend books a turn of side that took the time used.
func (c *Clock) Spend(side game.Color, used time.Duration) {
	c.Used[side], c.LastMoveUsed, c.MoveUsed = used, used, 0
	if c.Move == 0 && c.Reserve == 0 {
		return
	}
	change := c.Move - used
	if change > 0 {
		change = time.Duration(float64(change) * c.Percent / 100)
	}
	reserve := max(c.Reserves[side]+change, 0)
	if c.Max > 0 {
		reserve = min(reserve, c.Max)
	}
	c.Reserves[side] = reserve
}

// Over reports whether the time control has ended the game after the given
// number of turns, both sides' together, so that the official score decides.
func (c *Clock) Over(turns int) bool {
	return c.Total > 0 && c.Elapsed >= c.Total || c.Turns > 0 && turns >= 2*c.Turns
}
