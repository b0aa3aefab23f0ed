package aei

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"warren/game"
)

// Clock is a game's time control and how it stands, as the protocol's options
// give them. A side has Move for every turn and its reserve beyond that; Percent
// of what a turn leaves unused is added to the reserve. A zero is no limit.
type Clock struct {
	Move     time.Duration // tcmove: for each turn
	Reserve  time.Duration // tcreserve: with which each side begins
	Percent  float64       // tcpercent: 0 to 100 of the unused time go to the reserve; 100 unless set
	Max      time.Duration // tcmax: the reserve never grows beyond it
	Total    time.Duration // tctotal: length of the game, after which the score decides
	Turns    int           // tcturns: of each side, after which the score decides
	TurnTime time.Duration // tcturntime: the longest that a single turn may take

	Reserves     [2]time.Duration // greserve, sreserve: what is left, by colour
	Used         [2]time.Duration // gused, sused: by each side's last turn
	LastMoveUsed time.Duration    // lastmoveused: by the last turn
	MoveUsed     time.Duration    // moveused: by the present turn before it was asked for

	// Elapsed is the time since the game began. No option tells it: who keeps the
	// clock measures it.
	Elapsed time.Duration
}

// Unlimited returns the clock of a game without limits.
func Unlimited() Clock { return Clock{Percent: 100} }

// maxSeconds bounds every time of an option: some thirty years.
const maxSeconds = 1e9

// Set sets what the option called name stands for to value, in the protocol's
// words: times are seconds, which may have a fraction. It reports whether the
// clock has such an option; the error says what is wrong with the value, and
// then nothing is changed.
func (c *Clock) Set(name, value string) (known bool, err error) {
	switch name {
	case "tcpercent":
		return true, set(&c.Percent, value, 1000)
	case "tcturns":
		var turns float64
		err := set(&turns, value, 1e6)
		if err == nil {
			c.Turns = int(turns)
		}
		return true, err
	case "tcreserve":
		if err := setTime(&c.Reserve, value); err != nil {
			return true, err
		}
		c.Reserves = [2]time.Duration{c.Reserve, c.Reserve}
		return true, nil
	}
	if t := c.time(name); t != nil {
		return true, setTime(t, value)
	}
	return false, nil
}

// time returns what holds the time that an option gives.
func (c *Clock) time(name string) *time.Duration {
	switch name {
	case "tcmove":
		return &c.Move
	case "tcmax":
		return &c.Max
	case "tctotal":
		return &c.Total
	case "tcturntime":
		return &c.TurnTime
	case "greserve":
		return &c.Reserves[game.Gold]
	case "sreserve":
		return &c.Reserves[game.Silver]
	case "gused":
		return &c.Used[game.Gold]
	case "sused":
		return &c.Used[game.Silver]
	case "lastmoveused":
		return &c.LastMoveUsed
	case "moveused":
		return &c.MoveUsed
	}
	return nil
}

func setTime(t *time.Duration, value string) error {
	var seconds float64
	if err := set(&seconds, value, maxSeconds); err != nil {
		return fmt.Errorf("%w seconds", err)
	}
	*t = time.Duration(seconds * float64(time.Second))
	return nil
}

// set reads a number from 0 to high.
func set(x *float64, value string, high float64) error {
	v, err := strconv.ParseFloat(value, 64)
	if err != nil || math.IsNaN(v) || v < 0 || v > high {
		return fmt.Errorf("%.40q is not a number from 0 to %g", value, high)
	}
	*x = v
	return nil
}

// Begin gives both sides the reserve of a game's beginning.
func (c *Clock) Begin() {
	c.Reserves = [2]time.Duration{c.Reserve, c.Reserve}
	c.Used, c.LastMoveUsed, c.MoveUsed, c.Elapsed = [2]time.Duration{}, 0, 0, 0
}

// Limit returns how long side may take for the present turn, counted from the
// turn's beginning, before it has lost the game; ok is false if it may take as
// long as it likes.
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

// Over reports whether the time control ends the game, so that the score decides,
// before the turn that follows turns turns of both sides together.
func (c *Clock) Over(turns int) bool {
	return c.Total > 0 && c.Elapsed >= c.Total || c.Turns > 0 && turns >= 2*c.Turns
}

// Option is a name and a value as setoption sends them.
type Option struct{ Name, Value string }

// Control returns the options that describe the time control, those of [Clock]
// that do not change during a game.
func (c *Clock) Control() []Option {
	return []Option{
		{"tcmove", seconds(c.Move)}, {"tcreserve", seconds(c.Reserve)},
		{"tcpercent", strconv.FormatFloat(c.Percent, 'g', -1, 64)},
		{"tcmax", seconds(c.Max)}, {"tctotal", seconds(c.Total)},
		{"tcturns", strconv.Itoa(c.Turns)}, {"tcturntime", seconds(c.TurnTime)},
	}
}

// State returns the options that say how the clock stands before a turn.
func (c *Clock) State() []Option {
	return []Option{
		{"greserve", seconds(c.Reserves[game.Gold])}, {"sreserve", seconds(c.Reserves[game.Silver])},
		{"gused", seconds(c.Used[game.Gold])}, {"sused", seconds(c.Used[game.Silver])},
		{"lastmoveused", seconds(c.LastMoveUsed)}, {"moveused", seconds(c.MoveUsed)},
	}
}

// seconds writes a time to the millisecond, and whole seconds without a
// fraction: many engines read whole numbers only.
func seconds(d time.Duration) string {
	return strconv.FormatFloat(float64(d.Milliseconds())/1000, 'f', -1, 64)
}
