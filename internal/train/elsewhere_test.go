package train

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"sync"
	"testing"

	"warren/data"
	"warren/internal/metrics"
	"warren/internal/observe"
	"warren/internal/recipe"
	"warren/internal/selfplay"
)

// A run whose games come from elsewhere learns from each once, however often it comes, and says of
// every copy when it is saved. How fast the others evaluate it does not know.
func TestGamesFromElsewhereCountOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run")
	config := tiny(recipe.Async)
	config.Loop.FlushEvery = 1e9
	var mu sync.Mutex
	told := map[data.Hash]int{}
	elsewhere := func(ctx context.Context, job selfplay.Job, networks selfplay.Networks, store *Store, observer observe.Observer) error {
		return selfplay.Play(ctx, job, networks, twice{store, func(h data.Hash) {
			mu.Lock()
			defer mu.Unlock()
			told[h]++
		}}, observer)
	}
	for range 2 { // the second finds the run finished
		var w watcher
		run := open(t, path, config, observe.Nobody, slog.New(&w))
		run.PlayElsewhere(elsewhere)
		if err := run.Train(t.Context()); err != nil {
			t.Fatal(err)
		}
		shut(t, run)
	}
	points, err := metrics.ReadLines((&Dir{path: path}).Metrics())
	if err != nil {
		t.Fatal(err)
	}
	if rates := metrics.Series(points, "speed/evaluations"); len(rates) > 0 || len(metrics.Series(points, "speed/games")) == 0 {
		t.Errorf("the points are %v", points)
	}
	index, err := data.Scan(filepath.Join(path, "games"), nil)
	if err != nil {
		t.Fatal(err)
	}
	games := 0
	for _, s := range index.Shards {
		games += s.Games
	}
	if games != index.Games || games < 12+2*5 {
		t.Errorf("the shards have %d games, of which %d differ", games, index.Games)
	}
	if len(told) != games {
		t.Errorf("%d games were said to be saved, and %d are", len(told), games)
	}
	for h, n := range told {
		if n != 2 || !index.HasRecord(h) {
			t.Errorf("game %v was said to be saved %d times; stored: %v", h, n, index.HasRecord(h))
		}
	}
}

// twice brings every game twice.
type twice struct {
	*Store
	saved func(data.Hash)
}

func (w twice) Put(ctx context.Context, r *data.Record) error {
	h := r.Hash()
	return errors.Join(
		w.Keep(ctx, r, func() { w.saved(h) }),
		w.Keep(ctx, r, func() { w.saved(h) }))
}
