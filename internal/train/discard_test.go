package train

import (
	"context"
	"log/slog"
	"path/filepath"
	"slices"
	"testing"

	"warren/data"
	"warren/data/replay"
	"warren/internal/observe"
	"warren/internal/recipe"
	"warren/internal/selfplay"
)

// Games that are discarded leave the window of the running process, later ones with such numbers do
// not enter it, and the next process, which discards others, leaves them out too. They stay in the shards.
func TestDiscard(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run")
	config := tiny(recipe.Async)
	config.Loop.FlushEvery = 1e9
	config.Data.WindowPositions, config.SelfPlay.FullFraction = 1_000_000, 1 // so that every position is in the window
	gone := []data.Range{{First: 3, Count: 4}, {First: 9, Count: 4}}
	for i := range gone {
		config.Loop.Generations++ // a run that is finished plays no more
		run := open(t, path, config, observe.Nobody, slog.New(slog.DiscardHandler))
		run.PlayElsewhere(func(ctx context.Context, job selfplay.Job, networks selfplay.Networks, store *Store, observer observe.Observer) error {
			return selfplay.Play(ctx, job, networks, twice{store, func(data.Hash) {}}, observer)
		})
		if err := run.store.Discard(gone[i : i+1]); err != nil { // before the first step, which may be the last
			t.Fatal(err)
		}
		if err := run.Train(t.Context()); err != nil {
			t.Fatal(err)
		}
		want, stored := windowWithout(t, path, config, gone[:i+1])
		if got := run.store.windows.Train.Positions(); got != want || stored == 0 {
			t.Errorf("process %d: the window has %d positions, want %d; %d discarded games are stored", i+1, got, want, stored)
		}
		shut(t, run)
	}
	// Games that are discarded in the middle of a generation leave before the next step.
	config.Loop.Generations++
	run := open(t, path, config, observe.Nobody, slog.New(slog.DiscardHandler))
	defer shut(t, run)
	gone = append(gone, data.Range{First: 15, Count: 4})
	if err := run.store.Discard(gone[2:]); err != nil {
		t.Fatal(err)
	}
	run.progress.set(func(s *state) { s.Target = s.Samples + 1 })
	if _, err := run.learn(t.Context()); err != nil {
		t.Fatal(err)
	}
	before, _ := windowWithout(t, path, config, gone[:2])
	want, _ := windowWithout(t, path, config, gone)
	if got := run.store.windows.Train.Positions(); got != want || want == before {
		t.Errorf("after a step the window has %d positions, want %d, before %d", got, want, before)
	}
	// If all games leave, a generation's samples wait for more, and so does its network.
	gone = append(gone, data.Range{First: 0, Count: 1 << 20})
	if err := run.store.Discard(gone[3:]); err != nil {
		t.Fatal(err)
	}
	target := run.progress.state.Target
	run.progress.set(func(s *state) { // as when the last generation had no games
		s.Games, s.Positions = run.store.Finished()-run.config.Loop.Games(s.Generation), 0
	})
	generation, stored := run.progress.state.Generation, run.store.Saved().Games
	if err := run.generation(t.Context(), nobody()); err != nil {
		t.Fatal(err)
	}
	if s := &run.progress.state; s.Generation != generation || s.Target != target || s.Games != stored {
		t.Errorf("without games generation %d was to have had %d samples of %d games, and the run is at %+v", generation+1, target, stored, s)
	}
	if list, err := (&Dir{path: path}).discarded(); err != nil || !slices.Equal(list, gone) {
		t.Errorf("the list of discarded games is %v, %v, want %v", list, err, gone)
	}
}

// windowWithout returns the number of positions in a window of the run's stored games without those that are gone, and
// how many of the latter are stored.
func windowWithout(t *testing.T, path string, config recipe.Config, gone []data.Range) (positions, stored int) {
	t.Helper()
	windows := replay.NewWindows(config.Data)
	for _, r := range records(t, path) {
		if slices.ContainsFunc(gone, func(g data.Range) bool { return r.Game >= g.First && r.Game < g.First+uint64(g.Count) }) {
			stored++
		} else {
			windows.Add(r.Game, r)
		}
	}
	return windows.Train.Positions(), stored
}
