package train

import (
	"log/slog"
	"slices"

	"warren/data"
	"warren/data/replay"
	"warren/internal/recipe"
)

// restoreGames returns a store with the games in the run's directory, for the first of the stages, and adapts the
// counters to them.
func restoreGames(dir *Dir, stages []recipe.Stage, p *progress, log *slog.Logger) (*Store, error) {
	index, err := data.Scan(dir.games(), log)
	if err != nil {
		return nil, err
	}
	p.state.countMoved(index, log)
	index.Add(p.state.Moved)
	windows := replay.NewWindows(stages[0].Data)
	discarded, err := dir.discarded()
	if err != nil {
		return nil, err
	}
	if err := windows.Discard(discarded, index); err != nil {
		return nil, err
	}
	return newStore(dir, stages, index, windows, log), nil
}

// countMoved notes that all games have been moved elsewhere since the newest checkpoint, or are back. Those that are
// gone count as collected: the next generation is trained after as many new games as any, and on these.
func (s *state) countMoved(index *data.Index, log *slog.Logger) {
	back := func(shard data.ShardInfo) bool { return shard.First < s.Moved.Next } // perhaps one that came late
	switch {
	case index.Games == 0 && len(index.Damaged) == 0 && s.Saved.Games > 0:
		s.Moved, s.Games, s.Positions = s.Saved, s.Saved.Games, s.Saved.Positions
		s.First = max(s.First, int(s.Saved.Next))
		log.Warn("the games are not in the run's directory any more; the run continues from its newest checkpoint with an empty replay window", "games", s.Saved.Games)
	case index.Games >= s.Saved.Games && slices.ContainsFunc(index.Shards, back):
		log.Info("games that had been moved elsewhere are in the run's directory again", "games", s.Moved.Games)
		s.Moved = data.Totals{}
	}
}

// reconcile removes from the counters the games that damaged or missing
// shards have lost, so they count as not yet played, and what was to be learned of them.
func (p *progress) reconcile(store *Store) {
	s, gone, most := &p.state, store.index.Missing(p.state.Moved).Positions, int64(0)
	s.Games = min(s.Games, store.index.Games)
	s.Positions = min(s.Positions, store.index.Positions)
	s.Again = min(s.Again, s.Positions-gone)
	if store.canLearn() {
		most = p.schedule.samples(s, store.index.Positions-gone)
	}
	s.owe(most)
}
