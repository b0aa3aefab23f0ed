package data

import (
	"fmt"
	"slices"
	"sync"
	"time"
)

// WriterConfig says how a [Writer] saves games.
type WriterConfig struct {
	Games int           // games in a full shard, at least 1
	Every time.Duration // how long a game waits at most for its shard to be full
	// Arrival is the highest arrival number in the directory: [Index.Arrival]. Every shard gets the
	// next number, unless ByNumber is set.
	Arrival uint64
	// ByNumber gives every shard the number Arrival itself, so that the order of its games in a
	// window is that of their game numbers.
	ByNumber bool
	// Saved, unless nil, is told of every shard when it is safely on disk: one at a time, in order.
	// It must not call the writer.
	Saved func(shard ShardInfo, records []*Record)
}

// Writer gathers finished games and saves them in shards, in the background. Several goroutines
// may use it at once.
type Writer struct {
	dir    string
	config WriterConfig

	mu      sync.Mutex
	changed sync.Cond   // on mu, when a shard is saved or writing ends
	pending []*Record   // the games that are not saved, in the order they came
	due     int         // how many of them are to be written now
	saved   int         // games saved so far
	writing bool        // the goroutine that writes is running
	err     error       // why it ended with games still due
	late    *time.Timer // makes the pending games due; nil if all of them are
}

// NewWriter returns a writer of shards in dir, which must exist. A shard is written as soon as
// config.Games games have come in, or the first of them has waited for config.Every. No goroutine
// runs while there is nothing to write, so a writer needs no closing; but see [Writer.Flush].
func NewWriter(dir string, config WriterConfig) *Writer {
	w := &Writer{dir: dir, config: config}
	w.changed.L = &w.mu
	return w
}

// Put takes a game, which counts as saved when config.Saved has been told of it. It does not wait
// for the disk, unless two shards' worth of games are pending already: then it waits until a shard
// is saved. The error is that of an earlier write. No game is lost by it: r and all pending games
// stay pending, and the write is tried again.
func (w *Writer) Put(r *Record) error {
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

// Flush saves every game that was put before the call, and waits until that is done. It tries
// again what failed before; its error is that of this attempt. Call it after the last Put.
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

// write makes all pending games due and has them written. It does not wait.
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

// run writes one shard after the other until no game is due or a write fails.
func (w *Writer) run() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for w.due > 0 {
		records := slices.Clone(w.pending[:min(w.due, w.config.Games)])
		w.mu.Unlock()
		err := w.save(records)
		w.mu.Lock()
		if err != nil {
			w.err = fmt.Errorf("saving %d games: %w", len(records), err)
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

// save writes one shard. Only run calls it, so nothing else uses the arrival number.
func (w *Writer) save(records []*Record) error {
	arrival := w.config.Arrival
	if !w.config.ByNumber {
		arrival++
	}
	shard, err := WriteShard(w.dir, arrival, records)
	if err != nil {
		return err
	}
	w.config.Arrival = arrival
	if w.config.Saved != nil {
		w.config.Saved(shard, records)
	}
	return nil
}
