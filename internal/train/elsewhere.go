package train

import (
	"context"

	"warren/data"
	"warren/internal/arena"
	"warren/internal/observe"
	"warren/internal/selfplay"
)

// Elsewhere plays the games of a job on other machines until the context ends. It replaces
// [selfplay.Play], which plays them in this process. It may give the store a game several times, and must know
// when the game is saved: it calls [Store.Keep], not Put.
type Elsewhere func(ctx context.Context, job selfplay.Job, networks selfplay.Networks, store *Store, observer observe.Observer) error

// PlayElsewhere makes f play the run's games instead of this process. It works only for asynchronous
// runs and must be called before Train.
func (r *Run) PlayElsewhere(f Elsewhere) { r.selfPlay.elsewhere = f }

// PlayFrom makes this process play no number below first, because others may still bring games with these. It must be
// called before Train.
func (r *Run) PlayFrom(first uint64) { r.selfPlay.lowest = int(first) }

// Matches plays the games of the run's matches.
type Matches interface {
	// PlayMatch plays a game, here or elsewhere.
	PlayMatch(ctx context.Context, f *arena.Fixture) (*arena.Played, error)
	// MatchSeats returns the number of games that it plays at once.
	MatchSeats() int
}

// PlayMatchesWith makes m play the games of the run's matches instead of this process alone. It must
// be called before Train.
func (r *Run) PlayMatchesWith(m Matches) { r.matches.elsewhere = m }

// kept is the state of a game that has arrived.
type kept struct {
	tell []func() // called when the game is saved
}

// saved is the state of every saved game. One for all takes less memory.
var saved = &kept{}

// Keep stores a game. It calls tell once the game is on disk, or at once if it already is. It reports false if it has
// another game with this number, and then stores nothing. It waits while the learner is behind, but not beyond the end of
// the context. It returns the error of an earlier write.
func (s *Store) Keep(ctx context.Context, r *data.Record, tell func()) (first bool, err error) {
	hash := r.Hash()
	s.mu.Lock()
	k, again := s.known[hash]
	switch {
	case k == saved || s.index.HasRecord(hash):
		s.mu.Unlock()
		tell()
		return true, nil
	case again:
		k.tell = append(k.tell, tell)
		s.mu.Unlock()
		return true, nil
	case s.numbers[r.Game] || s.index.Has(r.Game):
		s.mu.Unlock()
		return false, nil
	}
	s.known[hash] = &kept{tell: []func(){tell}}
	s.numbers[r.Game] = true
	s.mu.Unlock()
	return true, s.Put(ctx, r)
}

// wereSaved marks games given to Keep as saved, and returns the functions that wait for them. The caller holds s.mu.
func (s *Store) wereSaved(records []*data.Record) (tell []func()) {
	if len(s.known) == 0 {
		return nil // no game need be hashed
	}
	for _, r := range records {
		if k := s.known[r.Hash()]; k != nil {
			tell = append(tell, k.tell...)
			s.known[r.Hash()] = saved
		}
	}
	return tell
}

// Has reports whether the record with this hash is saved or has been given to Keep.
func (s *Store) Has(hash data.Hash) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.known[hash] != nil || s.index.HasRecord(hash)
}

// Room returns the number of games that Keep takes before it waits; negative means no limit.
func (s *Store) Room() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.bound == 0 {
		return -1
	}
	return max(0, s.bound-s.finished)
}

// Next returns the lowest number above those of all games saved by earlier processes.
func (s *Store) Next() uint64 { return s.index.Next() }

// Played reports whether a game with this number is saved or has been given to Keep.
func (s *Store) Played(number uint64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.numbers[number] || s.index.Has(number)
}
