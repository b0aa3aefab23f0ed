package train

import (
	"context"
	"log/slog"
	"sync"

	"warren/data"
)

// store takes the finished games of self-play, saves them, and only then lets
// the learner see them. It implements selfplay.Games.
type store struct {
	writer *data.Writer
	replay *data.Replay
	log    *slog.Logger

	mu        sync.Mutex
	changed   *sync.Cond
	finished  int // games that have come in, those of earlier processes included
	games     int // of them, those saved
	positions int // in the saved ones
	bound     int // finished games at which Put holds its caller back; 0 is never
}

// newStore goes on from what the index of the directory holds.
func newStore(dir string, c *Config, index *data.Index, replay *data.Replay, log *slog.Logger) *store {
	s := &store{replay: replay, log: log, finished: index.Games, games: index.Games, positions: index.Positions}
	s.changed = sync.NewCond(&s.mu)
	s.writer = data.NewWriter(dir, c.Data.GamesPerShard, c.Loop.FlushEvery, s.saved)
	return s
}

// Put takes a game. It blocks while the learner is too far behind, until the
// context ends.
func (s *store) Put(ctx context.Context, r *data.Record) error {
	if err := s.writer.Put(r); err != nil {
		return err
	}
	defer context.AfterFunc(ctx, s.wake)()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.finished++
	for s.bound > 0 && s.finished >= s.bound && ctx.Err() == nil {
		s.changed.Wait()
	}
	return nil
}

// saved is told by the writer of every shard.
func (s *store) saved(path string, records []*data.Record) {
	positions := 0
	for _, r := range records {
		s.replay.Add(r)
		positions += r.Positions()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.games += len(records)
	s.positions += positions
	s.log.Debug("saved games", "shard", path, "games", len(records), "total", s.games)
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
	return s.finished
}

// HoldAt makes Put block from that many finished games on; 0 lets it go on.
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
