package train

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync"
	"testing"

	"warren/data"
	"warren/game"
	"warren/internal/arena"
	"warren/internal/eval"
	"warren/internal/metrics"
	"warren/internal/nettest"
	"warren/internal/observe"
	"warren/internal/recipe"
	"warren/internal/selfplay"
	"warren/net"
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

// twice brings every game twice, and another one with its number.
type twice struct {
	*Store
	saved func(data.Hash)
}

func (w twice) Put(ctx context.Context, r *data.Record) error {
	h := r.Hash()
	other := *r
	other.ID, other.EvalPath = data.Hash{}, "other"
	for _, x := range []*data.Record{r, r, &other} {
		first, err := w.Keep(ctx, x, func() { w.saved(h) })
		if err != nil || first != (x == r) || !w.Played(r.Game) {
			return errors.Join(err, fmt.Errorf("game %d, with the path %s: %t", x.Game, x.EvalPath, first))
		}
	}
	return nil
}

// decided plays matches that one network wins, every game of them or none.
type decided struct {
	network string
	wins    bool
}

func (d decided) PlayMatch(_ context.Context, f *arena.Fixture) (*arena.Played, error) {
	won := (f.A.Name() == d.network) == d.wins // by A, which has Gold in the first game of a pair
	p := &arena.Played{Number: f.Number, Gold: f.Number%2 == 0, Result: game.Result{Winner: game.Silver, Reason: game.Resignation}}
	if won == p.Gold {
		p.Result.Winner = game.Gold
	}
	return p, nil
}

func (decided) MatchSeats() int { return 1 }

// The results of a measurement and the gatekeeper's verdict are those of the newer network, whichever name
// sorts first.
func TestResultsAreOfTheNewerNetwork(t *testing.T) {
	t.Parallel()
	const games = 4
	c := tiny(recipe.Sync)
	c.Match.Games, c.Match.Gatekeeper.Games, c.Match.Baselines = games, games, "random"
	for _, wins := range []bool{false, true} {
		run := open(t, filepath.Join(t.TempDir(), "run"), c, observe.Nobody, slog.New(slog.DiscardHandler))
		network := nettest.New(t, c.Network, 5)
		var me [3]*eval.Network
		for generation := range me {
			var err error
			if me[generation], err = run.networks.prepare(network, generation, 0); err != nil {
				t.Fatal(err)
			}
		}
		run.PlayMatchesWith(decided{net.GenerationName(1), wins})
		if err := (&ladder{run.matches, run.networks}).measure(t.Context(), me[1]); err != nil {
			t.Fatal(err)
		}
		run.PlayMatchesWith(decided{net.GenerationName(2), wins})
		passed, err := run.matches.passes(t.Context(), me[2], me[1])
		if err != nil || passed != wins {
			t.Errorf("it wins: %t; it passes: %t, %v", wins, passed, err)
		}
		won, rate := 0, 0.0
		if wins {
			won, rate = games, 1
		}
		for _, at := range []struct {
			generation     int
			file, opponent string
		}{{1, "random", "random"}, {1, againstFirst, net.GenerationName(0)}, {2, gatekeeperFile, net.GenerationName(1)}} {
			m, err := readMatch(run.dir.match(at.generation, at.file))
			if err != nil {
				t.Fatal(err)
			}
			if m.Player != net.GenerationName(at.generation) || m.Opponent != at.opponent || m.Score.Wins != won || m.Score.Games() != games || m.Rate != rate {
				t.Errorf("it wins: %t; the record against %s is %+v", wins, at.opponent, m)
			}
		}
		shut(t, run)
	}
}
