package data

import (
	"fmt"
	"sync"
	"time"
)

// Writer gathers finished games and saves them in shards. It may be used by
// several goroutines at once.
type Writer struct {
	dir   string
	games int
	every time.Duration
	saved func(path string, records []*Record)

	mu      sync.Mutex
	pending []*Record
	last    time.Time
}

// NewWriter returns a writer of shards in dir, which must exist. A shard is
// written as soon as that many games have come in, or one comes in when the
// last shard is older than every. Then saved, unless nil, is told, one shard at
// a time; it must not call the writer.
func NewWriter(dir string, games int, every time.Duration, saved func(path string, records []*Record)) *Writer {
	return &Writer{dir: dir, games: games, every: every, saved: saved, last: time.Now()}
}

// Put takes a game. It counts as saved only when saved has been told of it.
func (w *Writer) Put(r *Record) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.pending = append(w.pending, r)
	if len(w.pending) >= w.games || time.Since(w.last) >= w.every {
		return w.flush()
	}
	return nil
}

// Pending returns the number of games that are not saved yet.
func (w *Writer) Pending() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.pending)
}

// Flush saves what is pending.
func (w *Writer) Flush() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.flush()
}

// FlushDue saves what is pending if the last shard is old enough.
func (w *Writer) FlushDue() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if time.Since(w.last) < w.every {
		return nil
	}
	return w.flush()
}

func (w *Writer) flush() error {
	w.last = time.Now()
	if len(w.pending) == 0 {
		return nil
	}
	path, err := WriteShard(w.dir, w.pending)
	if err != nil {
		return fmt.Errorf("saving %d games: %w", len(w.pending), err)
	}
	if w.saved != nil {
		w.saved(path, w.pending)
	}
	clear(w.pending)
	w.pending = w.pending[:0]
	return nil
}
