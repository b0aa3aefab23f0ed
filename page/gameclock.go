package page

import (
	"time"

	"warren/clock"
	"warren/game"
	"warren/session"
)

// gameClock keeps the time of a game in progress. It only looks at the time when a
// request comes; the browser asks when a side has run out of it.
type gameClock struct {
	clock.Clock
	text  string    // the time control in notation
	since time.Time // when the present turn began
	now   func() time.Time
}

// clockState is a clock, as sent to the page and back. Times are milliseconds.
type clockState struct {
	Control  string   `json:"control"`
	Move     int64    `json:"move"`     // for each turn
	Reserves [2]int64 `json:"reserves"` // of Gold and Silver
	Used     int64    `json:"used"`     // by the present turn
	Limit    int64    `json:"limit"`    // of the present turn
}

// mostReserve bounds the reserve of a game that goes on.
const mostReserve = 1000 * time.Hour

// newGameClock returns a running clock. The reserves of a game that goes on are
// those that kept has; kept may be nil.
func newGameClock(text string, kept *clockState, now func() time.Time) (*gameClock, error) {
	control, err := clock.ParseControl(text)
	if err != nil {
		return nil, wrong("%v", err)
	}
	c := &gameClock{Clock: clock.New(control), text: text, since: now(), now: now}
	if kept != nil && kept.Control == text {
		for side, ms := range kept.Reserves {
			if ms >= 0 && ms <= mostReserve.Milliseconds() {
				c.Reserves[side] = time.Duration(ms) * time.Millisecond
			}
		}
	}
	return c, nil
}

// used returns the time of the present turn so far.
func (c *gameClock) used() time.Duration { return c.now().Sub(c.since) }

// left returns the time that side, which is to move, has left. It is below 0 if
// side has lost.
func (c *gameClock) left(side game.Color) time.Duration {
	limit, ok := c.Limit(side)
	if !ok {
		return time.Hour
	}
	return limit - c.used()
}

// ended books a turn of side.
func (c *gameClock) ended(side game.Color) {
	used := c.used()
	c.Elapsed += used
	c.Spend(side, used)
	c.since = c.now()
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
	case g.Side() == s.Side() && c.left(g.Side()) < 0:
		s.LoseOnTime()
	case c.Over(g.Turns()) && g.StepsLeft() == 4:
		s.Stop()
	}
}

func (c *gameClock) state(s *session.Session) *clockState {
	st := &clockState{Control: c.text, Move: c.Move.Milliseconds(), Used: c.used().Milliseconds()}
	for side, reserve := range c.Reserves {
		st.Reserves[side] = reserve.Milliseconds()
	}
	limit, _ := c.Limit(s.Game().Side())
	st.Limit = limit.Milliseconds()
	return st
}
