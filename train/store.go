package train

import (
	"context"
	"log/slog"
	"sync"

	"warren/data"
	"warren/settings"
)

// store takes the finished games of self-play and saves them. Only saved games
// enter the replay window. It implements selfplay.Games.
type store struct {
	writer *data.Writer
	replay *data.Replay
	log    *slog.Logger

	mu        sync.Mutex
	changed   *sync.Cond
	finished  int // games that have come in, including those of earlier processes
	games     int // saved games among them
	positions int // in the saved games
	bound     int // number of finished games from which Put blocks; 0 is never

	told func([]*data.Record) // is told of saved games, unless nil
}

// newStore returns a store that goes on from the games in the index of dir.
//
// In synchronous mode a generation's games have higher numbers than those of
// all generations before, so the order of their numbers is an order of arrival
// that does not depend on which worker finishes first or on interruptions. In
// asynchronous mode a game can arrive long after others with higher numbers, so
// the shards are numbered as they are saved.
func newStore(dir string, c *settings.Config, index *data.Index, replay *data.Replay, log *slog.Logger) *store {
	s := &store{replay: replay, log: log, finished: index.Games, games: index.Games, positions: index.Positions}
	s.changed = sync.NewCond(&s.mu)
	s.writer = data.NewWriter(dir, data.WriterConfig{
		Games: c.Data.GamesPerShard, Every: c.Loop.FlushEvery,
		Arrival: index.Arrival, ByNumber: c.Loop.Mode == settings.Sync,
		Saved: s.saved,
	})
	return s
}

// Put takes a game. It blocks while the learner is too far behind, but not
// beyond the end of the context.
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

// saved puts the games of a saved shard into the replay window.
func (s *store) saved(shard data.ShardInfo, records []*data.Record) {
	s.mu.Lock()
	s.games += shard.Games
	s.positions += shard.Positions
	s.replay.Played(s.positions)
	for _, r := range records {
		s.replay.Add(shard.Arrival, r)
	}
	total, told := s.games, s.told
	s.mu.Unlock()
	s.log.Debug("saved games", "shard", shard.Path, "games", shard.Games, "total", total)
	if told != nil {
		told(records)
	}
}

// Saved returns the number of saved games, and of positions in them.
func (s *store) Saved() (games, positions int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.games, s.positions
}

// Finished returns the number of games that have come in, saved or not.
func (s *store) Finished() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.finished
}

// HoldAt makes Put block once that many games have come in; 0 lets it go on.
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
