// Package clock implements Arimaa's time control: how long a side may think
// about a turn, what it may save up for later turns, and when the time control
// ends the game. (The control 2/2/100/10/8 of arimaa.com is Move 2 min, Reserve
// 2 min, Percent 100, Max 10 min, Total 8 h.)
//
// The source is Arimaa's match rules of 2008. Where they leave a choice, a side has
// lost at the moment when its time is used up, not after it; the minute of a setup
// stays even where no turn may take as long; and a game that reaches Total ends
// before the next turn.
//
// The package measures no time itself: its user reports how much time a turn
// has used. It knows the two colours and nothing else about the game.
package clock

import (
	"time"

	"warren/game"
)

// Control is a time control. Each side has Move for every turn, and beyond that
// its reserve. With both Move and Reserve 0 a side has all the time it likes. Max,
// Total, Turns and TurnTime set no limit if they are 0. Nothing is saved up with
// Percent 0; [Unlimited] has 100, and so has [ParseControl] unless told otherwise.
type Control struct {
	Move     time.Duration // for each turn
	Reserve  time.Duration // that each side begins with
	Percent  float64       // of a turn's unused time is added to the reserve; 0 to 1000
	Max      time.Duration // at which nothing more is added to a reserve
	Total    time.Duration // length of the game, after which the official score decides
	Turns    int           // of each side, setups counted, after which the official score decides
	TurnTime time.Duration // the longest that a single turn may take
}

// Unlimited returns the control of a game without limits. All unused time would
// go to the reserve.
func Unlimited() Control { return Control{Percent: 100} }

// setupTime is the least time that a setup has.
const setupTime = time.Minute

// Free returns the time that costs no reserve: Move, and at least a minute for a
// setup.
func (c *Control) Free(setup bool) time.Duration {
	if setup {
		return max(c.Move, setupTime)
	}
	return c.Move
}

// Clock is a time control and how the clock stands in a game.
type Clock struct {
	Control

	Reserves     [2]time.Duration // left, by colour
	Used         [2]time.Duration // by each side's last turn
	LastMoveUsed time.Duration    // by the last turn
	MoveUsed     time.Duration    // by the present turn so far
	Elapsed      time.Duration    // since the game began: the sum of what was spent, unless the user sets it
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

// Limit returns the time of a turn or setup, counted from its beginning, at which
// side loses the game. If it may take as long as it likes, ok is false. TurnTime
// limits a setup too, but leaves it its minute.
func (c *Clock) Limit(side game.Color, setup bool) (limit time.Duration, ok bool) {
	if c.Move > 0 || c.Reserve > 0 || c.Reserves[side] > 0 {
		limit, ok = c.Free(setup)+c.Reserves[side], true
	}
	if longest := c.TurnTime; longest > 0 {
		if setup {
			longest = max(longest, setupTime)
		}
		if !ok || longest < limit {
			limit, ok = longest, true
		}
	}
	return limit, ok
}

// Spend books a turn or setup of side that took the time used. Percent of what a
// turn leaves unused, rounded to the second, is added to the reserve, as far as Max
// allows. A setup adds nothing.
func (c *Clock) Spend(side game.Color, setup bool, used time.Duration) {
	c.Used[side], c.LastMoveUsed, c.MoveUsed = used, used, 0
	c.Elapsed += used
	reserve := &c.Reserves[side]
	unused := c.Free(setup) - used
	switch {
	case unused < 0:
		*reserve = max(*reserve+unused, 0)
	case !setup:
		most := c.Max
		if most == 0 {
			most = longest
		}
		added := min(float64(unused)*c.Percent/100, float64(longest))
		if *reserve < most {
			*reserve = min(*reserve+time.Duration(added).Round(time.Second), most)
		}
	}
}

// Over reports whether the time control has ended the game after the given
// number of turns, both sides' together, so that the official score decides. The
// number leaves out the setups, though each is its side's first turn.
func (c *Clock) Over(turns int) bool {
	const setups = 2
	return c.Total > 0 && c.Elapsed >= c.Total || c.Turns > 0 && turns+setups >= 2*c.Turns
}
