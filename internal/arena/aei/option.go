package aei

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"warren/game"
	"warren/game/clock"
)

// Option is a name and a value as setoption sends them.
type Option struct{ Name, Value string }

// field is an option and where its value is kept: a *time.Duration, a *float64 or an *int.
type field struct {
	name  string
	value any
}

func controlFields(c *clock.Control) []field {
	return []field{
		{"tcmove", &c.Move}, {"tcreserve", &c.Reserve}, {"tcpercent", &c.Percent}, {"tcmax", &c.Max},
		{"tctotal", &c.Total}, {"tcturns", &c.Turns}, {"tcturntime", &c.TurnTime},
	}
}

func clockFields(c *clock.Clock) []field {
	return []field{
		{"greserve", &c.Reserves[game.Gold]}, {"sreserve", &c.Reserves[game.Silver]},
		{"gused", &c.Used[game.Gold]}, {"sused", &c.Used[game.Silver]},
		{"lastmoveused", &c.LastMoveUsed}, {"moveused", &c.MoveUsed},
	}
}

// ControlOptions returns the options that describe a time control.
func ControlOptions(c *clock.Control) []Option { return options(controlFields(c)) }

// ClockOptions returns the options that say how the clock stands before a turn.
func ClockOptions(c *clock.Clock) []Option { return options(clockFields(c)) }

// options writes fields. Every time is in seconds, which may have a fraction.
func options(fields []field) (all []Option) {
	for _, f := range fields {
		o := Option{Name: f.name}
		switch v := f.value.(type) {
		case *time.Duration:
			o.Value = seconds(*v)
		case *float64:
			o.Value = strconv.FormatFloat(*v, 'g', -1, 64)
		case *int:
			o.Value = strconv.Itoa(*v)
		}
		all = append(all, o)
	}
	return all
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
	return set(controlFields(c), name, value)
}

// SetClock is [SetControl] for the options of the clock, those of its time
// control included. Setting tcreserve also gives both sides that reserve.
func SetClock(c *clock.Clock, name, value string) (known bool, err error) {
	known, err = set(append(clockFields(c), controlFields(&c.Control)...), name, value)
	if name == "tcreserve" && err == nil {
		c.Reserves = [2]time.Duration{c.Reserve, c.Reserve}
	}
	return known, err
}

// The largest values of options.
const (
	maxSeconds = 1e9 // about 30 years
	maxPercent = 1000
	maxTurns   = 1e6
)

// set sets the field of that name, if there is one.
func set(fields []field, name, value string) (known bool, err error) {
	i := slices.IndexFunc(fields, func(f field) bool { return f.name == name })
	if i < 0 {
		return false, nil
	}
	var x float64
	switch v := fields[i].value.(type) {
	case *time.Duration:
		if x, err = number(value, maxSeconds); err != nil {
			return true, fmt.Errorf("%w seconds", err)
		}
		*v = time.Duration(x * float64(time.Second))
	case *float64:
		if x, err = number(value, maxPercent); err == nil {
			*v = x
		}
	case *int:
		if x, err = number(value, maxTurns); err == nil {
			*v = int(x)
		}
	}
	return true, err
}

// number reads a number from 0 to high.
func number(value string, high float64) (float64, error) {
	v, err := strconv.ParseFloat(value, 64)
	if err != nil || math.IsNaN(v) || v < 0 || v > high {
		return 0, fmt.Errorf("%.40q is not a number from 0 to %g", value, high)
	}
	return math.Abs(v), nil // -0 is 0
}
