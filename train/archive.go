package train

import (
	"context"

	"warren/data"
	"warren/selfplay"
	"warren/watch"
)

// Archive is the run's store of games, as those see it who have games played on other machines. They
// may bring a game several times, and must know when it is safe.
type Archive interface {
	// Keep takes a game. It calls saved once the game is on the disk, which may have been before. It
	// waits while the learner is behind, but not beyond the end of the context. The error is that of
	// an earlier write.
	Keep(ctx context.Context, r *data.Record, saved func()) error
	// Room returns how many games may come in before Keep waits; negative is no limit.
	Room() int
	// Next returns the lowest number above those of all games of earlier processes.
	Next() uint64
	// Played reports whether a game with this number was saved by an earlier process.
	Played(number uint64) bool
	// Has reports whether the record with this identity is saved, or has been given to Keep.
	Has(data.Hash) bool
}

// Elsewhere has the games of a job played, as [selfplay.Play] does in this process, until the
// context ends.
type Elsewhere func(ctx context.Context, job selfplay.Job, networks selfplay.Networks, archive Archive, observer watch.Observer) error

// PlayElsewhere has the run's games played by f in place of this process. It is for asynchronous
// runs, and must be called before Train.
func (r *Run) PlayElsewhere(f Elsewhere) { r.elsewhere = f }

// archive is the store with a memory for what has come.
type archive struct {
	*store
	index *data.Index
	known map[data.Hash]*kept // that came in this process; guarded by store.mu
}

// kept is a game that has come in.
type kept struct {
	saved bool
	tell  []func() // to be called when it is saved
}

func newArchive(s *store, index *data.Index) *archive {
	a := &archive{store: s, index: index, known: map[data.Hash]*kept{}}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.told = a.told
	return a
}

// Keep implements Archive.
func (a *archive) Keep(ctx context.Context, r *data.Record, saved func()) error {
	hash := r.Hash()
	a.mu.Lock()
	k, again := a.known[hash]
	switch {
	case again && k.saved || a.index.HasRecord(hash):
		a.mu.Unlock()
		saved()
		return nil
	case again:
		k.tell = append(k.tell, saved)
		a.mu.Unlock()
		return nil
	}
	a.known[hash] = &kept{tell: []func(){saved}}
	a.mu.Unlock()
	return a.Put(ctx, r)
}

// told is told of the games of a saved shard.
func (a *archive) told(records []*data.Record) {
	var tell []func()
	a.mu.Lock()
	for _, r := range records {
		if k := a.known[r.Hash()]; k != nil {
			tell = append(tell, k.tell...)
			k.saved, k.tell = true, nil
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
