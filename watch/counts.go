package watch

import (
	"sync"

	"warren/game"
)

// Counts counts what self-play does. Its zero value is ready.
type Counts struct {
	mu     sync.Mutex
	totals Totals
}

var _ Observer = (*Counts)(nil)

// Totals are counts since the start of the process.
type Totals struct {
	Began       uint64 // games begun
	Games       uint64 // games finished and handed on
	Evaluations uint64 // positions evaluated
	Decisions   uint64 // actions of the finished games
	Positions   uint64 // of those, the ones with a training target
	Turns       uint64 // turns of the finished games

	Reasons [game.NumReasons]uint64 // finished games by how they ended; Ongoing: no result
	Wins    [2]uint64               // finished games by winner, Gold and Silver
}

// Totals returns the present counts.
func (c *Counts) Totals() Totals {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.totals
}

// Observe counts an event.
func (c *Counts) Observe(e Event) {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := &c.totals
	switch e := e.(type) {
	case *GameBegan:
		t.Began++
	case *Evaluated:
		t.Evaluations += uint64(e.Positions)
	case *GameEnded:
		r := e.Record
		t.Games++
		t.Decisions += uint64(len(r.Decisions))
		t.Positions += uint64(r.Positions())
		t.Turns += uint64(r.Turns)
		t.Reasons[r.Result.Reason]++
		if r.Result.Over() {
			t.Wins[r.Result.Winner]++
		}
	}
}
