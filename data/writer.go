package data

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"warren/internal/plural"
)

// WriterConfig configures a [Writer].
type WriterConfig struct {
	Games int           // games in a full shard, at least 1
	Every time.Duration // longest time that a game waits for its shard to fill
	// Arrival is the highest arrival number in the directory: [Index.Arrival]. Every shard gets the
	// next number, unless ByNumber is set.
	Arrival uint64
	// ByNumber gives every shard the number Arrival itself, so that a window orders their games by
	// game number.
	ByNumber bool
	// Saved, if not nil, is called for every shard once it is safely on disk, one at a time and in
	// order. It must not call the writer.
	Saved func(shard ShardInfo, records []*Record)
}

// Writer collects finished games and saves them in shards, in the background. It is safe for
// concurrent use.
type Writer struct {
	dir    string
	config WriterConfig

	mu      sync.Mutex
	changed sync.Cond   // on mu, when a shard is saved or writing ends
	pending []*Record   // the games that are not saved, in the order they came
	due     int         // number of pending games to write now
	saved   int         // number of games saved so far
	writing bool        // whether the writing goroutine runs
	err     error       // why it ended while games were due
	late    *time.Timer // makes the pending games due; nil if all of them are
}

// NewWriter returns a writer of shards in dir, which must exist. It writes a shard as soon as
// config.Games games are pending, or the first of them has waited for config.Every. No goroutine runs
// while there is nothing to write, so a writer need not be closed; but see [Writer.Flush].
func NewWriter(dir string, config WriterConfig) *Writer {
	w := &Writer{dir: dir, config: config}
	w.changed.L = &w.mu
	return w
}

// Put adds a game. The writer keeps r, which must not be changed before it is saved: until config.Saved
// has been called for its shard. Put does not wait for the disk, except that it waits for a shard to be
// saved if two shards' worth of games are pending. A game that is not valid ([Record.Validate]) is
// refused, because no shard can have it. Any other error is that of an earlier write, and loses no game:
// r and all pending games stay pending, and the write is tried again.
func (w *Writer) Put(r *Record) error {
	if err := r.Validate(); err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for w.writing && len(w.pending) >= 2*w.config.Games {
		w.changed.Wait()
	}
	err := w.err
	w.pending = append(w.pending, r)
	switch {
	case err != nil || len(w.pending)-w.due >= w.config.Games:
		w.write()
	case w.late == nil:
		w.late = time.AfterFunc(w.config.Every, func() {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.write()
		})
	}
	return err
}

// Flush saves every game that was put before the call, and waits until they are saved. It retries a
// failed write, and returns the error of this attempt. Call it after the last Put.
func (w *Writer) Flush() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	want := w.saved + len(w.pending)
	w.write()
	for w.writing && w.saved < want {
		w.changed.Wait()
	}
	if w.saved < want {
		return w.err
	}
	return nil
}

// write makes all pending games due and starts to write them. It does not wait.
func (w *Writer) write() {
	if w.late != nil {
		w.late.Stop()
		w.late = nil
	}
	w.due = len(w.pending)
	if w.due > 0 && !w.writing {
		w.writing, w.err = true, nil
		go w.run()
	}
}

// run writes one shard after another until no game is due or a write fails.
func (w *Writer) run() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for w.due > 0 {
		records := slices.Clone(w.pending[:min(w.due, w.config.Games)])
		w.mu.Unlock()
		err := w.save(records)
		w.mu.Lock()
		if err != nil {
			w.err = fmt.Errorf("saving %s: %w", plural.Of(len(records), "game"), err)
			break
		}
		w.pending = slices.Delete(w.pending, 0, len(records))
		w.due -= len(records)
		w.saved += len(records)
		w.changed.Broadcast()
	}
	w.writing = false
	w.changed.Broadcast()
}

// save writes one shard. Only run calls it, so only one goroutine uses the arrival number.
func (w *Writer) save(records []*Record) error {
	arrival := w.config.Arrival
	if !w.config.ByNumber {
		arrival++
	}
	shard, err := storeShard(w.dir, arrival, records)
	if err != nil {
		return err
	}
	w.config.Arrival = arrival
	if w.config.Saved != nil {
		w.config.Saved(shard, records)
	}
	return nil
}
