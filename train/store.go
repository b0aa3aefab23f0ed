package train

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"warren/data"
)

// store takes the finished games of self-play, saves them in shards, and only
// then lets the learner see them. It implements selfplay.Games.
type store struct {
	dir    string
	shard  int // games in a shard
	replay *data.Replay
	log    *slog.Logger

	mu        sync.Mutex
	changed   *sync.Cond
	pending   []*data.Record
	last      time.Time // when a shard was last written
	every     time.Duration
	games     int // saved
	positions int // in them
	bound     int // games at which Put holds its caller back; 0 is never
}

// newStore goes on from what the index of the directory holds.
func newStore(dir string, c *Config, index *data.Index, replay *data.Replay, log *slog.Logger) *store {
	s := &store{
		dir: dir, log: log, shard: c.Data.GamesPerShard, every: c.Loop.FlushEvery, replay: replay,
		games: index.Games, positions: index.Positions, last: time.Now(),
	}
	s.changed = sync.NewCond(&s.mu)
	return s
}

// Put takes a game. It blocks while the learner is too far behind, until the
// context ends.
func (s *store) Put(ctx context.Context, r *data.Record) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pending = append(s.pending, r)
	if len(s.pending) >= s.shard || time.Since(s.last) >= s.every {
		if err := s.flush(); err != nil {
			return err
		}
	}
	defer context.AfterFunc(ctx, s.wake)()
	for s.bound > 0 && s.games+len(s.pending) >= s.bound && ctx.Err() == nil {
		s.changed.Wait()
	}
	return nil
}

// Flush saves what is pending.
func (s *store) Flush() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.flush()
}

// FlushDue saves what is pending if that is due by time.
func (s *store) FlushDue() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if time.Since(s.last) < s.every {
		return nil
	}
	return s.flush()
}

func (s *store) flush() error {
	s.last = time.Now()
	if len(s.pending) == 0 {
		return nil
	}
	path, err := data.WriteShard(s.dir, s.pending)
	if err != nil {
		return fmt.Errorf("saving %d games: %w", len(s.pending), err)
	}
	for _, r := range s.pending {
		s.replay.Add(r)
		s.games++
		s.positions += r.Positions()
	}
	s.log.Debug("saved games", "shard", path, "games", len(s.pending), "total", s.games)
	clear(s.pending)
	s.pending = s.pending[:0]
	s.changed.Broadcast()
	return nil
}

// Saved returns the games saved, and the positions in them.
func (s *store) Saved() (games, positions int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.games, s.positions
}

// Finished returns the games that have come in, saved or not.
func (s *store) Finished() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.games + len(s.pending)
}

// HoldAt makes Put block from that many games on; 0 lets it go on for ever.
func (s *store) HoldAt(games int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.bound = games
	s.changed.Broadcast()
}

func (s *store) wake() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changed.Broadcast()
}
