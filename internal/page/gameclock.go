package page

import (
	"time"

	"warren/game"
	"warren/game/clock"
	"warren/internal/session"
)

// gameClock keeps the time of a game in progress. It only looks at the time when a
// request comes; the browser asks when a side has run out of it.
type gameClock struct {
	clock.Clock
	since time.Time     // when the present turn began
	spent time.Duration // used by the present turn when the game ended
}

// clockState is a clock, as sent to the page and back. Times are milliseconds.
type clockState struct {
	Control  string   `json:"control"`  // in notation
	Reserves [2]int64 `json:"reserves"` // of Gold and Silver
	Limits   [2]int64 `json:"limits"`   // of their present or next turns
	Used     int64    `json:"used"`     // by the present turn
}

// mostReserve bounds the reserve of a game that continues.
const mostReserve = 1000 * time.Hour

// newGameClock returns a running clock. The reserves of a game that continues are
// those that kept has; kept may be nil.
func newGameClock(text string, kept *clockState) (*gameClock, error) {
	control, err := clock.ParseControl(text)
	if err != nil {
		return nil, wrong("%v", err)
	}
	c := &gameClock{Clock: clock.New(control), since: time.Now()}
	if kept != nil && kept.Control == clock.FormatControl(control) {
		for side, ms := range kept.Reserves {
			if ms >= 0 && ms <= mostReserve.Milliseconds() {
				c.Reserves[side] = time.Duration(ms) * time.Millisecond
			}
		}
	}
	return c, nil
}

// used returns the time of the present turn so far.
func (c *gameClock) used() time.Duration { return time.Since(c.since) }

// limit returns the time of side's present turn in g, or of its next one. There is no
// control without a limit: see [clock.ParseControl].
func (c *gameClock) limit(g *game.Game, side game.Color) time.Duration {
	limit, _ := c.Limit(side, g.InSetup() && side >= g.Side()) // Gold sets up first
	return limit
}

// left returns the time that the side to move in g has left. At 0 it has lost.
func (c *gameClock) left(g *game.Game) time.Duration { return c.limit(g, g.Side()) - c.used() }

// ended books a turn or setup of side.
func (c *gameClock) ended(side game.Color, setup bool) {
	used := c.used()
	c.Spend(side, setup, used)
	c.since = time.Now()
}

// check ends the game if the visitor has run out of time, or if the time control
// stops it. The opponent loses on time only while it is asked for its turn: see
// reply.
func (c *gameClock) check(s *session.Session) {
	if s.Result().Over() {
		return
	}
	g := s.Game()
	switch {
	case g.Side() == s.Side() && c.left(g) <= 0:
		s.LoseOnTime()
	case c.Over(g.Turns()) && g.StepsLeft() == 4:
		s.Stop()
	}
}

// state returns the clock of g, whose time stands still once it is over.
func (c *gameClock) state(g *game.Game, over bool) *clockState {
	used := c.used()
	if over {
		used = c.spent
	}
	st := &clockState{Control: clock.FormatControl(c.Control), Used: used.Milliseconds()}
	for _, side := range []game.Color{game.Gold, game.Silver} {
		st.Reserves[side] = c.Reserves[side].Milliseconds()
		st.Limits[side] = c.limit(g, side).Milliseconds()
	}
	return st
}
