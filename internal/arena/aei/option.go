package aei

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"warren/game"
	"warren/game/clock"
)

// Option is a name and a value as setoption sends them.
type Option struct{ Name, Value string }

// The options of the time control and the clock. Every time is in seconds, which
// may have a fraction.
//
//	tcmove        Control.Move        greserve, sreserve   Clock.Reserves
//	tcreserve     Control.Reserve     gused, sused         Clock.Used
//	tcpercent     Control.Percent     lastmoveused         Clock.LastMoveUsed
//	tcmax         Control.Max         moveused             Clock.MoveUsed
//	tctotal       Control.Total
//	tcturns       Control.Turns
//	tcturntime    Control.TurnTime

// ControlOptions returns the options that describe a time control.
func ControlOptions(c *clock.Control) []Option {
	return []Option{
		{"tcmove", seconds(c.Move)}, {"tcreserve", seconds(c.Reserve)},
		{"tcpercent", strconv.FormatFloat(c.Percent, 'g', -1, 64)},
		{"tcmax", seconds(c.Max)}, {"tctotal", seconds(c.Total)},
		{"tcturns", strconv.Itoa(c.Turns)}, {"tcturntime", seconds(c.TurnTime)},
	}
}

// ClockOptions returns the options that say how the clock stands before a turn.
func ClockOptions(c *clock.Clock) []Option {
	return []Option{
		{"greserve", seconds(c.Reserves[game.Gold])}, {"sreserve", seconds(c.Reserves[game.Silver])},
		{"gused", seconds(c.Used[game.Gold])}, {"sused", seconds(c.Used[game.Silver])},
		{"lastmoveused", seconds(c.LastMoveUsed)}, {"moveused", seconds(c.MoveUsed)},
	}
}

// seconds writes a time to the millisecond, and whole seconds without a
// fraction, because many engines read whole numbers only.
func seconds(d time.Duration) string {
	return strconv.FormatFloat(float64(d.Milliseconds())/1000, 'f', -1, 64)
}

// SetControl sets the option of that name in the time control. It reports
// whether there is such an option; the error says what is wrong with the value,
// and the control is then unchanged.
func SetControl(c *clock.Control, name, value string) (known bool, err error) {
	switch name {
	case "tcmove":
		return true, setTime(&c.Move, value)
	case "tcreserve":
		return true, setTime(&c.Reserve, value)
	case "tcpercent":
		return true, set(&c.Percent, value, 1000)
	case "tcmax":
		return true, setTime(&c.Max, value)
	case "tctotal":
		return true, setTime(&c.Total, value)
	case "tcturns":
		var turns float64
		err := set(&turns, value, 1e6)
		if err == nil {
			c.Turns = int(turns)
		}
		return true, err
	case "tcturntime":
		return true, setTime(&c.TurnTime, value)
	}
	return false, nil
}

// SetClock is [SetControl] for the options of the clock, those of its time
// control included. Setting tcreserve also gives both sides that reserve.
func SetClock(c *clock.Clock, name, value string) (known bool, err error) {
	switch name {
	case "greserve":
		return true, setTime(&c.Reserves[game.Gold], value)
	case "sreserve":
		return true, setTime(&c.Reserves[game.Silver], value)
	case "gused":
		return true, setTime(&c.Used[game.Gold], value)
	case "sused":
		return true, setTime(&c.Used[game.Silver], value)
	case "lastmoveused":
		return true, setTime(&c.LastMoveUsed, value)
	case "moveused":
		return true, setTime(&c.MoveUsed, value)
	}
	known, err = SetControl(&c.Control, name, value)
	if name == "tcreserve" && err == nil {
		c.Reserves = [2]time.Duration{c.Reserve, c.Reserve}
	}
	return known, err
}

// maxSeconds bounds the time in an option: about 30 years.
const maxSeconds = 1e9

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
	*x = math.Abs(v) // -0 is 0
	return nil
}
