package train

import (
	"context"

	"warren/data"
	"warren/match"
	"warren/selfplay"
	"warren/watch"
)

// Archive is the run's store of games for a caller that gets games from other machines. The caller
// may add a game several times, and must know when the game is saved.
type Archive interface {
	// Keep stores a game. It calls saved once the game is on disk, or at once if it already is. It
	// waits while the learner is behind, but not beyond the end of the context. It returns the error
	// of an earlier write.
	Keep(ctx context.Context, r *data.Record, saved func()) error
	// Room returns the number of games that Keep takes before it waits; negative means no limit.
	Room() int
	// Next returns the lowest number above those of all games saved by earlier processes.
	Next() uint64
	// Played reports whether an earlier process saved a game with this number.
	Played(number uint64) bool
	// Has reports whether the record with this hash is saved or has been given to Keep.
	Has(data.Hash) bool
	// Discard takes the games with these numbers out of the replay window, now and after a restart.
	// They stay in their shards and still count as played.
	Discard([]data.Range) error
}

// Elsewhere plays the games of a job on other machines until the context ends. It replaces
// [selfplay.Play], which plays them in this process.
type Elsewhere func(ctx context.Context, job selfplay.Job, networks selfplay.Networks, archive Archive, observer watch.Observer) error

// PlayElsewhere makes f play the run's games instead of this process. It works only for asynchronous
// runs and must be called before Train.
func (r *Run) PlayElsewhere(f Elsewhere) { r.elsewhere = f }

// Network returns the path of the network of a generation, which need not be there.
func (r *Run) Network(generation int) string { return r.dir.Network(generation) }

// Matches plays the games of the run's matches.
type Matches interface {
	// PlayMatch plays a game, here or elsewhere.
	PlayMatch(ctx context.Context, f *match.Fixture) (*match.Played, error)
	// MatchSeats returns the number of games that it plays at once.
	MatchSeats() int
}

// PlayMatchesWith makes m play the games of the run's matches instead of this process alone. It must
// be called before Train.
func (r *Run) PlayMatchesWith(m Matches) { r.matches = m }

// archive is the store with a record of the games that have arrived.
type archive struct {
	*store
	dir   *Dir
	index *data.Index
	known map[data.Hash]*kept // games that arrived in this process; guarded by store.mu
}

// kept is the state of a game that has arrived.
type kept struct {
	tell []func() // called when the game is saved
}

// saved is the state of every saved game. One for all takes less memory.
var saved = &kept{}

func newArchive(s *store, dir *Dir, index *data.Index) *archive {
	a := &archive{store: s, dir: dir, index: index, known: map[data.Hash]*kept{}}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.told = a.told
	return a
}

// Keep implements Archive.
func (a *archive) Keep(ctx context.Context, r *data.Record, tell func()) error {
	hash := r.Hash()
	a.mu.Lock()
	k, again := a.known[hash]
	switch {
	case k == saved || a.index.HasRecord(hash):
		a.mu.Unlock()
		tell()
		return nil
	case again:
		k.tell = append(k.tell, tell)
		a.mu.Unlock()
		return nil
	}
	a.known[hash] = &kept{tell: []func(){tell}}
	a.mu.Unlock()
	return a.Put(ctx, r)
}

// told handles the games of a saved shard: it calls the functions that wait for them.
func (a *archive) told(records []*data.Record) {
	var tell []func()
	a.mu.Lock()
	for _, r := range records {
		if k := a.known[r.Hash()]; k != nil {
			tell = append(tell, k.tell...)
			a.known[r.Hash()] = saved
		}
	}
	a.mu.Unlock()
	for _, f := range tell {
		f()
	}
}

// Has implements Archive.
func (a *archive) Has(hash data.Hash) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.known[hash] != nil || a.index.HasRecord(hash)
}

// Room implements Archive.
func (a *archive) Room() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.bound == 0 {
		return -1
	}
	return max(0, a.bound-a.finished)
}

// Next implements Archive.
func (a *archive) Next() uint64 { return a.index.Next() }

// Played implements Archive.
func (a *archive) Played(number uint64) bool { return a.index.Has(number) }
