package train

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"warren/data"
	"warren/data/replay"
	"warren/internal/recipe"
)

// Store saves the finished games of self-play. Only saved games enter the replay window. It implements selfplay.Games.
// Keep, Has, Room, Next, Played and Discard are for games that others play: see [Elsewhere].
type Store struct {
	dir     *Dir
	index   *data.Index   // of the games saved by earlier processes
	config  recipe.Config // of the learner's stage
	writer  *data.Writer
	windows *replay.Windows
	log     *slog.Logger

	mu       sync.Mutex
	changed  *sync.Cond
	finished int              // games received, including those of earlier processes
	totals   data.Totals      // of the saved games among them
	shards   []data.ShardInfo // of these
	bound    int              // number of finished games at which Put blocks; 0 means never

	waiting   int           // calls of Put that are blocked
	heldSince time.Time     // when the first of them was
	held      time.Duration // time during which there were any, before that

	known   map[data.Hash]*kept // games given to Keep
	numbers map[uint64]bool     // of these

	discarded atomic.Bool // whether games are to be taken out of the replay window
}

// newStore returns a store that continues from the games in the index of the run's directory.
//
// In synchronous mode a generation's games have higher numbers than those of
// all generations before, so the order of their numbers is an order of arrival
// that does not depend on which worker finishes first or on interruptions. In
// asynchronous mode a game can arrive long after others with higher numbers, so
// the shards are numbered as they are saved.
func newStore(dir *Dir, c *recipe.Config, index *data.Index, windows *replay.Windows, log *slog.Logger) *Store {
	s := &Store{
		dir: dir, index: index, config: *c, windows: windows, log: log,
		finished: index.Games,
		totals:   index.Totals(),
		shards:   index.Shards,
		known:    map[data.Hash]*kept{},
		numbers:  map[uint64]bool{},
	}
	s.changed = sync.NewCond(&s.mu)
	s.writer = data.NewWriter(dir.games(), data.WriterConfig{
		Games: c.Data.GamesPerShard, Every: c.Loop.FlushEvery,
		Arrival: index.Arrival, ByNumber: c.Loop.Mode == recipe.Sync,
		Saved: s.saved,
	})
	return s
}

// Put takes a finished game. It blocks while the learner is too far behind,
// until the context ends.
func (s *Store) Put(ctx context.Context, r *data.Record) error {
	if err := s.writer.Put(r); err != nil {
		return err
	}
	defer context.AfterFunc(ctx, s.wake)()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.finished++
	if s.bound == 0 || s.finished < s.bound {
		return nil
	}
	if s.waiting++; s.waiting == 1 {
		s.heldSince = time.Now()
	}
	for s.bound > 0 && s.finished >= s.bound && ctx.Err() == nil {
		s.changed.Wait()
	}
	if s.waiting--; s.waiting == 0 {
		s.held += time.Since(s.heldSince)
	}
	return nil
}

// Held returns the time during which self-play has waited for the learner.
func (s *Store) Held() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.waiting > 0 {
		return s.held + time.Since(s.heldSince)
	}
	return s.held
}

// saved adds the games of a saved shard to the replay window.
func (s *Store) saved(shard data.ShardInfo, records []*data.Record) {
	s.mu.Lock()
	s.shards = append(s.shards, shard)
	s.totals.Games += shard.Games
	s.totals.Positions += shard.Positions
	s.totals.Next = max(s.totals.Next, shard.Last+1)
	s.totals.Arrival = max(s.totals.Arrival, shard.Arrival)
	for _, r := range records {
		s.windows.Add(shard.Arrival, r)
	}
	tell := s.wereSaved(records)
	total := s.totals.Games
	s.mu.Unlock()
	s.log.Debug("saved games", "shard", shard.Path, "games", shard.Games, "total", total)
	for _, f := range tell {
		f()
	}
}

// renew calls change, which fills the replay window again, with the shards. It holds mu, so it reads only what change
// does: a scan reads all games of the run. Only if one of these shards is damaged or gone, it scans, sets aside the
// damaged ones and calls change again.
func (s *Store) renew(change func(*data.Index) error) error {
	err := change(&data.Index{Shards: s.shards})
	if !errors.Is(err, data.ErrDamaged) && !data.NotAFile(err) {
		return err
	}
	index, err := data.Scan(s.dir.games(), s.log)
	if err != nil {
		return err
	}
	s.shards = index.Shards
	return change(index)
}

// canLearn reports whether the replay window can fill a minibatch.
func (s *Store) canLearn() bool { return s.windows.Train.Positions() >= s.config.Learner.Batch }

// Saved counts the saved games.
func (s *Store) Saved() data.Totals {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.totals
}

// Finished returns the number of games received, saved or not.
func (s *Store) Finished() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.finished
}

// holdAt makes Put block once the given number of games have come in. 0 removes
// the limit.
func (s *Store) holdAt(games int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.bound = games
	s.changed.Broadcast()
}

func (s *Store) wake() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changed.Broadcast()
}
