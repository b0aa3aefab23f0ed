package observe

import (
	"sync"

	"warren/data"
	"warren/game"
)

// Counts counts the games, positions and evaluations of self-play. The zero value is
// ready to use.
type Counts struct {
	mu     sync.Mutex
	totals Totals
}

var _ Observer = (*Counts)(nil)

// Totals are the counts of a Counts since it was made.
type Totals struct {
	Evaluations uint64 // positions evaluated in this process, including those that a cache knew
	Positions   uint64 // decisions of the finished games with a training target
	Begun       uint64 // games that have begun in this process

	Ended          // all finished games
	Openings Ended // finished games with a random opening
}

// Ended counts finished games.
type Ended struct {
	Games   uint64
	Turns   uint64                  // of all games together
	Reasons [game.NumReasons]uint64 // games by how they ended; Ongoing means no result
	Wins    [2]uint64               // games by winner, Gold and Silver
}

func (e *Ended) add(r *data.Record) {
	e.Games++
	e.Turns += uint64(r.Turns)
	e.Reasons[r.Result.Reason]++
	if r.Result.Over() {
		e.Wins[r.Result.Winner]++
	}
}

// Decided returns the number of games that somebody won.
func (e Ended) Decided() uint64 { return e.Wins[game.Gold] + e.Wins[game.Silver] }

// Less returns the games of e that are not among those of part.
func (e Ended) Less(part Ended) Ended {
	e.Games -= part.Games
	e.Turns -= part.Turns
	for i := range e.Reasons {
		e.Reasons[i] -= part.Reasons[i]
	}
	for i := range e.Wins {
		e.Wins[i] -= part.Wins[i]
	}
	return e
}

// Totals returns the current counts.
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
	case *Evaluated:
		t.Evaluations += uint64(e.Positions)
	case *GameBegan:
		t.Begun++
	case *GameEnded:
		t.Positions += uint64(e.Record.Positions())
		t.Ended.add(e.Record)
		if e.Record.Opening > 0 {
			t.Openings.add(e.Record)
		}
	}
}
