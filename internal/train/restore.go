package train

import (
	"context"
	"log/slog"

	"warren/data"
	"warren/data/replay"
	"warren/internal/metrics"
	"warren/internal/recipe"
)

// restoreGames returns a store with the games in the run's directory, and adapts the counters to them. The games
// of a new run are another's. For shown see [Open].
func restoreGames(ctx context.Context, dir *Dir, c *recipe.Config, p *progress, isNew bool, shown *metrics.Progress, log *slog.Logger) (*Store, error) {
	index, err := data.Scan(dir.games(), log)
	if err != nil {
		return nil, err
	}
	discarded, err := dir.discarded()
	if err != nil {
		return nil, err
	}
	if isNew {
		p.state.begin(index, discarded)
	}
	p.state.countMoved(index, log)
	index.Add(p.state.Moved)
	index.Add(data.Totals{Next: p.state.Lowest})
	windows := replay.NewWindows(c.Data)
	if err := windows.Discard(discarded, new(data.Index)); err != nil { // before there are games
		return nil, err
	}
	all := []replay.Source{{Index: index, Without: discarded}}
	games := &Recorded{Windows: windows, runs: dir.name, sources: all, total: min(c.Data.WindowPositions, replay.Positions(all...))}
	if shown != nil {
		defer shown.Every(games.Reading)()
	}
	if err := games.Read(ctx); err != nil {
		return nil, err
	}
	return newStore(dir, c, index, windows, log), nil
}

// begin lets a new run play only numbers above those of the games that are there, and above those that are discarded: such
// a list also has numbers that were given to a worker and never played.
func (s *state) begin(index *data.Index, discarded []data.Range) {
	s.Lowest = index.Next()
	for _, r := range discarded {
		s.Lowest = max(s.Lowest, r.First+uint64(r.Count))
	}
	s.First = int(s.Lowest)
}

// countMoved notes that games of the newest checkpoint are not in the directory any more, or that all are back. Those
// that are gone count as played.
func (s *state) countMoved(index *data.Index, log *slog.Logger) {
	gone, before := index.Missing(s.Saved), index.Missing(s.Moved)
	switch {
	case gone.Games > before.Games:
		s.Moved = s.Saved
		s.First = max(s.First, int(s.Saved.Next))
		log.Warn("games are not in the run's directory any more: it continues with new ones, and its replay window begins with those that are there", "missing", gone.Games, "of", s.Saved.Games)
	case s.Moved.Games > 0 && before.Games == 0:
		log.Info("games that had been moved elsewhere are in the run's directory again")
		s.Moved = data.Totals{}
	}
}

// reconcile counts the games that are gone as collected. They are the oldest, so the others still teach if the newest
// generation has not collected them. What is still to be learned is limited to what the games in the directory give.
func (p *progress) reconcile(store *Store) {
	s, gone, most := &p.state, store.index.Missing(p.state.Moved), int64(0)
	s.Games, s.Positions = max(s.Games, gone.Games), max(s.Positions, gone.Positions)
	s.Again = min(s.Again, s.Positions-gone.Positions)
	if store.canLearn() {
		most = p.schedule.samples(s, store.index.Positions-gone.Positions)
	}
	s.owe(most)
}
