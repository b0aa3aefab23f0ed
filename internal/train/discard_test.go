package train

import (
	"context"
	"errors"
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
		dir, err := OpenDir(path)
		if err != nil {
			t.Fatal(err)
		}
		run, err := Open(dir, config, observe.Nobody, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		run.PlayElsewhere(func(ctx context.Context, job selfplay.Job, networks selfplay.Networks, store *Store, observer observe.Observer) error {
			if err := store.Discard(gone[i : i+1]); err != nil {
				return err
			}
			return selfplay.Play(ctx, job, networks, twice{store, func(data.Hash) {}}, observer)
		})
		if err := run.Train(t.Context()); err != nil {
			t.Fatal(err)
		}
		index, err := data.Scan(filepath.Join(path, "games"), nil)
		if err != nil {
			t.Fatal(err)
		}
		want, stored := replay.NewWindows(config.Data), 0
		for _, info := range index.Shards {
			shard, err := data.OpenShard(info.Path)
			if err != nil {
				t.Fatal(err)
			}
			for r, err := range shard.Records() {
				if err != nil {
					t.Fatal(err)
				}
				if slices.ContainsFunc(gone[:i+1], func(g data.Range) bool { return r.Game >= g.First && r.Game < g.First+uint64(g.Count) }) {
					stored++
				} else {
					want.Add(r.Game, r)
				}
			}
		}
		if got := run.store.windows.Train.Positions(); got != want.Train.Positions() || stored == 0 {
			t.Errorf("process %d: the window has %d positions, want %d; %d discarded games are stored", i+1, got, want.Train.Positions(), stored)
		}
		if err := errors.Join(run.Close(), dir.Close()); err != nil {
			t.Fatal(err)
		}
	}
	if list, err := (&Dir{path: path}).discarded(); err != nil || !slices.Equal(list, gone) {
		t.Errorf("the list of discarded games is %v, %v, want %v", list, err, gone)
	}
}
