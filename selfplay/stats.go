package selfplay

import (
	"sync"

	"warren/data"
	"warren/game"
)

// Stats counts what self-play does; it is safe for concurrent use, and its
// zero value is ready.
type Stats struct {
	mu     sync.Mutex
	totals Totals
}

// Totals are counts since the start of the process.
type Totals struct {
	Began       uint64 // games begun
	Games       uint64 // games finished and put out
	Evaluations uint64 // positions evaluated
	Decisions   uint64 // actions of the finished games
	Positions   uint64 // of those, the ones with a training target
	Turns       uint64 // turns of the finished games

	Reasons [game.NumReasons]uint64 // finished games by how they ended; Ongoing: no result
	Wins    [2]uint64               // finished games by winner, Gold and Silver
}

// Totals returns the present counts.
func (s *Stats) Totals() Totals {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.totals
}

func (s *Stats) began() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.totals.Began++
}

func (s *Stats) evaluated(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.totals.Evaluations += uint64(n)
}

func (s *Stats) finished(r *data.Record) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := &s.totals
	t.Games++
	t.Decisions += uint64(len(r.Decisions))
	t.Positions += uint64(r.Positions())
	t.Turns += uint64(r.Turns)
	t.Reasons[r.Result.Reason]++
	if r.Result.Over() {
		t.Wins[r.Result.Winner]++
	}
}
