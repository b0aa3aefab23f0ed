package clock

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// ParseControl reads a time control in the notation of arimaa.com, M/R/P/L/G/T:
//
//	2/2/100/10/8          2 minutes a move, 2 in reserve, 100 percent, at most 10 in reserve, 8 hours
//	0:30/5/100/0/60t      30 seconds a move, 5 minutes in reserve, no limit on it, 60 turns
//	24h5m10s/0/0/0/60d    24 hours, 5 minutes and 10 seconds a move, nothing in reserve, 60 days
//
// M, R, L and T are minutes, or minutes:seconds, and G is hours, hours:minutes or,
// with the letter t, turns of each side. A time may instead have the units d, h, m
// and s, in this order. A number may have a fraction. M and R are required, and
// together above 0. Another part that is empty or left out is 0, except P, which is
// then 100.
func ParseControl(text string) (Control, error) {
	c := Unlimited()
	parts := strings.Split(strings.TrimSpace(text), "/")
	if len(parts) > 6 {
		return Control{}, fmt.Errorf("the time control %.40q has %d parts; there are at most 6, as in 2/2/100/10/8/5", text, len(parts))
	}
	if len(parts) < 2 || parts[0] == "" || parts[1] == "" {
		return Control{}, fmt.Errorf("the time control %.40q needs minutes a move and minutes in reserve, as in 2/2", text)
	}
	for i, part := range parts {
		if part != "" && !c.set(i, part) {
			return Control{}, fmt.Errorf("the time control %.40q: %.20q is not right; write it as 2/2/100/10/8, minutes a move, in reserve, percent, most in reserve, hours", text, part)
		}
	}
	if c.Move+c.Reserve <= 0 {
		return Control{}, fmt.Errorf("the time control %.40q gives no time for a move", text)
	}
	return c, nil
}

// set sets the part of that index from its notation.
func (c *Control) set(i int, part string) (ok bool) {
	switch i {
	case 0:
		c.Move, ok = parseTime(part, time.Minute)
	case 1:
		c.Reserve, ok = parseTime(part, time.Minute)
	case 2:
		c.Percent, ok = parseNumber(part)
		ok = ok && c.Percent <= mostPercent
	case 3:
		c.Max, ok = parseTime(part, time.Minute)
	case 4:
		if turns, found := strings.CutSuffix(part, "t"); found {
			n, err := strconv.ParseUint(turns, 10, 32)
			c.Turns, ok = int(n), err == nil && n <= mostTurns
		} else {
			c.Total, ok = parseTime(part, time.Hour)
		}
	case 5:
		c.TurnTime, ok = parseTime(part, time.Minute)
	}
	return ok
}

// FormatControl writes a control so that [ParseControl] reads the same, if it came
// from there. Other controls are written to the millisecond, and of Total and Turns,
// if both are set, only Turns.
func FormatControl(c Control) string {
	end := formatTime(c.Total, time.Hour)
	if c.Turns > 0 {
		end = strconv.Itoa(c.Turns) + "t"
	}
	text := strings.Join([]string{
		formatTime(c.Move, time.Minute), formatTime(c.Reserve, time.Minute), strconv.FormatFloat(c.Percent, 'f', -1, 64),
		formatTime(c.Max, time.Minute), end, formatTime(c.TurnTime, time.Minute),
	}, "/")
	for strings.Count(text, "/") > 2 && strings.HasSuffix(text, "/0") {
		text = strings.TrimSuffix(text, "/0")
	}
	return text
}

// longest is the longest time that a control may have. Sums of a few such times do
// not overflow.
const longest = 366 * 24 * time.Hour

const (
	mostPercent = 1000
	mostTurns   = 1_000_000 // turns of both sides together do not overflow
)

// units are the letters that times have, from the longest on.
var units = []struct {
	letter string
	length time.Duration
}{{"d", 24 * time.Hour}, {"h", time.Hour}, {"m", time.Minute}, {"s", time.Second}}

// parseTime reads a number of the given unit, or number:sixtieths, or numbers with
// their own units.
func parseTime(text string, unit time.Duration) (time.Duration, bool) {
	total := 0.0
	if strings.ContainsAny(text, "dhms") {
		for _, u := range units {
			if number, rest, found := strings.Cut(text, u.letter); found {
				n, ok := parseNumber(number)
				if !ok {
					return 0, false
				}
				total += n * float64(u.length)
				text = rest
			}
		}
		if text != "" {
			return 0, false
		}
	} else {
		first, second, colon := strings.Cut(text, ":")
		n, ok := parseNumber(first)
		total = n * float64(unit)
		if colon {
			small, err := strconv.ParseUint(second, 10, 8)
			ok = ok && err == nil && small < 60
			total += float64(small) * float64(unit) / 60
		}
		if !ok {
			return 0, false
		}
	}
	if total > float64(longest) {
		return 0, false
	}
	return time.Duration(total).Round(time.Millisecond), true
}

// parseNumber reads digits, with a fraction or without.
func parseNumber(text string) (float64, bool) {
	if strings.Trim(text, "0123456789.") != "" {
		return 0, false
	}
	n, err := strconv.ParseFloat(text, 64)
	return n, err == nil
}

// formatTime writes a time in the given unit, or with its sixtieths, or else in
// seconds.
func formatTime(t, unit time.Duration) string {
	switch t = t.Round(time.Millisecond); {
	case t%unit == 0:
		return strconv.FormatInt(int64(t/unit), 10)
	case t%(unit/60) == 0:
		return fmt.Sprintf("%d:%02d", t/unit, t%unit/(unit/60))
	}
	return strconv.FormatFloat(t.Seconds(), 'f', -1, 64) + "s"
}
