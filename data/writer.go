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
	due     *time.Timer // saves the pending games, if there are any
	failed  bool        // it could not
}

// NewWriter returns a writer of shards in dir, which must exist. A shard is
// written as soon as that many games have come in, or the first of them has
// waited for as long as every. Then saved, unless nil, is told, one shard at a
// time; it must not call the writer.
func NewWriter(dir string, games int, every time.Duration, saved func(path string, records []*Record)) *Writer {
	return &Writer{dir: dir, games: games, every: every, saved: saved}
}

// Put takes a game. It counts as saved only when saved has been told of it. The
// error may be that of games before it, which are then still pending.
func (w *Writer) Put(r *Record) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.pending = append(w.pending, r)
	if len(w.pending) >= w.games || w.failed {
		return w.flush()
	}
	if w.due == nil {
		w.due = time.AfterFunc(w.every, w.flushLate)
	}
	return nil
}

// Flush saves what is pending. It is to be called after the last Put.
func (w *Writer) Flush() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.flush()
}

// flushLate saves games that have waited. If it fails, the next Put or Flush
// tries again, and has someone to tell.
func (w *Writer) flushLate() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.failed = w.flush() != nil
}

func (w *Writer) flush() error {
	if w.due != nil {
		w.due.Stop()
		w.due = nil
	}
	if len(w.pending) == 0 {
		return nil
	}
	path, err := WriteShard(w.dir, w.pending)
	if err != nil {
		return fmt.Errorf("saving %d games: %w", len(w.pending), err)
	}
	w.failed = false
	if w.saved != nil {
		w.saved(path, w.pending)
	}
	clear(w.pending)
	w.pending = w.pending[:0]
	return nil
}
