package clock

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// ParseControl reads a time control in the notation of arimaa.com, M/R/P/L/G/T:
//
//	2/2/100/10/8      2 minutes a move, 2 in reserve, 100 percent, at most 10 in reserve, 8 hours
//	0:30/5/100/0/60t  30 seconds a move, 5 minutes in reserve, no bound on it, 60 turns
//
// M, R, L and T are minutes, or minutes:seconds, and G is hours, hours:minutes or,
// with the letter t, turns of each side. All of them may have the unit s, m, h or d
// instead. Parts left out at the end are 0, except P, which is then 100. M and R
// together must be above 0.
func ParseControl(text string) (Control, error) {
	c := Unlimited()
	parts := strings.Split(strings.TrimSpace(text), "/")
	wrong := func(part string) (Control, error) {
		return Control{}, fmt.Errorf("the time control %q: %q is not a time; write it as 2/2/100/10/8, minutes a move, in reserve, percent, most in reserve, hours", text, part)
	}
	if len(parts) > 6 {
		return Control{}, fmt.Errorf("the time control %q has %d parts; there are at most 6, as in 2/2/100/10/8/5", text, len(parts))
	}
	for i, part := range parts {
		var err error
		switch i {
		case 0:
			c.Move, err = parseTime(part, time.Minute)
		case 1:
			c.Reserve, err = parseTime(part, time.Minute)
		case 2:
			c.Percent, err = strconv.ParseFloat(part, 64)
			if !(c.Percent >= 0 && c.Percent <= 1000) {
				return wrong(part)
			}
		case 3:
			c.Max, err = parseTime(part, time.Minute)
		case 4:
			if turns, ok := strings.CutSuffix(part, "t"); ok {
				c.Turns, err = strconv.Atoi(turns)
				if c.Turns < 0 || c.Turns > mostTurns {
					return wrong(part)
				}
			} else {
				c.Total, err = parseTime(part, time.Hour)
			}
		case 5:
			c.TurnTime, err = parseTime(part, time.Minute)
		}
		if err != nil {
			return wrong(part)
		}
	}
	if c.Move+c.Reserve <= 0 {
		return Control{}, fmt.Errorf("the time control %q gives no time for a move", text)
	}
	return c, nil
}

// longest is the longest time that a control may have. Sums of a few such times do
// not overflow.
const longest = 366 * 24 * time.Hour

// mostTurns is the highest number of turns that a control may have. Those of both sides
// together do not overflow.
const mostTurns = 1_000_000

// parseTime reads a number of units, or units:sixtieths, or a number with its own
// unit.
func parseTime(text string, unit time.Duration) (time.Duration, error) {
	for suffix, own := range map[string]time.Duration{"s": time.Second, "m": time.Minute, "h": time.Hour, "d": 24 * time.Hour} {
		if number, ok := strings.CutSuffix(text, suffix); ok {
			text, unit = number, own
			break
		}
	}
	first, second, colon := strings.Cut(text, ":")
	whole, err := strconv.ParseFloat(first, 64)
	if err != nil {
		return 0, err
	}
	if colon {
		small, err := strconv.ParseUint(second, 10, 8)
		if err != nil || small >= 60 {
			return 0, fmt.Errorf("%q is not a time", text)
		}
		whole += float64(small) / 60
	}
	if d := whole * float64(unit); d >= 0 && d <= float64(longest) {
		return time.Duration(d).Round(time.Millisecond), nil
	}
	return 0, fmt.Errorf("%q is not a time", text)
}
