package train

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"warren/data"
	"warren/internal/learn"
	"warren/internal/metrics"
	"warren/internal/nettest"
	"warren/internal/observe"
	"warren/internal/recipe"
)

// Every generation of a synchronous run plays its games, also when generations have fewer than those
// before, and an interruption changes nothing.
func TestGenerationsMayHaveFewerGames(t *testing.T) {
	t.Parallel()
	c := tiny(recipe.Sync)
	c.Loop.Generations = 2
	whole, broken := filepath.Join(t.TempDir(), "run"), filepath.Join(t.TempDir(), "run [1]") // which is no pattern
	work(t, whole, c, -1)
	before := counters(t, whole)
	if err := os.CopyFS(broken, os.DirFS(whole)); err != nil {
		t.Fatal(err)
	}
	c.Loop.Generations, c.Loop.BootstrapGames, c.Loop.GamesPerGeneration = 3, 2, 3
	work(t, whole, c, -1)
	if after := counters(t, whole); after.Games != before.Games+3 || after.Step == before.Step {
		t.Errorf("it continued from %+v to %+v", before, after)
	}
	work(t, broken, c, 2) // until its games are saved
	work(t, broken, c, -1)
	if final(t, whole) != final(t, broken) {
		t.Error("an interrupted run gave another network")
	}
}

// lastStep cancels a context at the last step of a generation's training.
type lastStep struct {
	run    *Run
	cancel context.CancelFunc
}

func (l *lastStep) Observe(e observe.Event) {
	if _, ok := e.(*observe.Learned); ok && l.run.progress.state.Samples >= l.run.progress.state.Target {
		l.cancel()
	}
}

// A run that is stopped at the last step of a generation has this generation's network.
func TestStopAtTheLastStep(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{recipe.Async, recipe.Sync} {
		path := filepath.Join(t.TempDir(), "run")
		ctx, cancel := context.WithCancel(t.Context())
		l := &lastStep{cancel: cancel}
		l.run = open(t, path, tiny(mode), l, slog.New(slog.DiscardHandler))
		if err := l.run.Train(ctx); err != nil {
			t.Fatal(err)
		}
		shut(t, l.run)
		cancel()
		if s := counters(t, path); s.Generation != 1 || s.Step == 0 {
			t.Errorf("%s: it was stopped at %+v", mode, s)
		}
		if _, err := os.Stat(l.run.dir.Network(1)); err != nil {
			t.Errorf("%s: %v", mode, err)
		}
	}
}

// A generation whose process was killed before it added a point to the series gets one, once, without
// what that process had measured.
func TestPointOfAKilledGeneration(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "run")
	series := filepath.Join(path, "metrics.jsonl")
	c := tiny(recipe.Sync)
	c.Loop.Generations = 2
	work(t, path, c, -1)
	lines := bytes.SplitAfter(read(t, series), []byte("\n"))
	if err := os.WriteFile(series, bytes.Join(lines[:len(lines)-2], nil), 0o666); err != nil { // the last is empty
		t.Fatal(err)
	}
	for range 2 {
		work(t, path, c, -1)
		points, err := metrics.ReadLines(series)
		if err != nil {
			t.Fatal(err)
		}
		if len(points) != 2 || points[1].Step != 2 {
			t.Fatalf("the points are %+v", points)
		}
		for name, want := range map[string]bool{"total/samples": true, "probe/even": true, "speed/games": false, "wait/learner_for_games": false} {
			if _, ok := points[1].Value(name); ok != want {
				t.Errorf("the point has %s: %t, want %t", name, ok, want)
			}
		}
	}
}

// A run that has gone back to an older checkpoint does not play with the network that an earlier
// process made of the same generation, also if it is killed before it publishes its own.
func TestNetworkOfAnEarlierProcessDoesNotPlay(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "run")
	c := tiny(recipe.Sync)
	c.Loop.Generations = 1
	work(t, path, c, -1)
	stale := nettest.New(t, c.Network, 99)
	nettest.Save(t, (&Dir{path: path}).Network(2), stale, nil)
	c.Loop.Generations = 2
	if _, err := learnOn(t, path, c, never, 1); !errors.Is(err, learn.ErrLost) { // after the checkpoint, at the snapshot to publish
		t.Fatalf("it was not stopped before it published its network: %v", err)
	}
	if s := counters(t, path); s.Generation != 2 {
		t.Fatalf("it was stopped at %+v", s)
	}
	run := open(t, path, c, observe.Nobody, slog.New(slog.DiscardHandler))
	want, err := run.training.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	if now := run.Latest(); now.Hash != want.Hash() || now.Origin.Generation != 2 {
		t.Errorf("generation %d plays with the network %.8s, want %.8s; that of an earlier process is %.8s", now.Origin.Generation, now.Hash, want.Hash(), stale.Hash())
	}
	shut(t, run)
}

// A run whose network that plays is missing says that the learner's takes its place, unless that is the same.
func TestNetworkThatPlaysIsMissing(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "run")
	c := tiny(recipe.Sync)
	c.Loop.Generations = 1
	work(t, path, c, -1)
	for _, ahead := range []int64{0, 1000} {
		w := &watcher{left: -1}
		run := open(t, path, c, observe.Nobody, slog.New(w))
		run.progress.set(func(s *state) { s.Target = s.Samples + ahead })
		if err := os.Remove(run.dir.Network(1)); err != nil {
			t.Fatal(err)
		}
		if err := run.publisher.restore(); err != nil {
			t.Fatal(err)
		}
		if n := w.logged("the network that played last is missing"); n != int(min(1, ahead)) {
			t.Errorf("%d samples later it logged %q", ahead, w.lines)
		}
		shut(t, run)
	}
}

// A run that has only some of its games continues as one that has none: after them, wherever that was. What is still to
// be learned is limited to what these games give. When the others are back, each counts once.
func TestRunGoesOnWithSomeOfItsGames(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{recipe.Async, recipe.Sync} {
		for _, lost := range []int{1, -1} { // the oldest shard, or all but the newest
			someGames(t, mode, lost)
		}
	}
}

func someGames(t *testing.T, mode string, lost int) {
	path := filepath.Join(t.TempDir(), "run")
	games := filepath.Join(path, "games")
	c := tiny(mode)
	c.Loop.Generations = 2
	work(t, path, c, -1)
	scan := func() *data.Index {
		index, err := data.Scan(games, nil)
		if err != nil {
			t.Fatal(err)
		}
		return index
	}
	before, all := counters(t, path), scan()
	if lost < 0 {
		lost = len(all.Shards) - 1
	}
	away := map[string][]byte{}
	for _, s := range all.Shards[:lost] {
		away[s.Path] = read(t, s.Path)
		if err := os.Remove(s.Path); err != nil {
			t.Fatal(err)
		}
	}
	left := scan()
	run := open(t, path, c, observe.Nobody, slog.New(slog.DiscardHandler))
	want := all.Totals()
	if s := run.progress.state; s.Moved != want || s.Games < before.Games {
		t.Errorf("%s: without %d of %d shards the run is at %+v; before %+v", mode, lost, len(all.Shards), s, before)
	}
	run.progress.set(func(s *state) { s.Target, s.Grown, s.Again = 1e9, 1e9, 1e9 }) // as if much was still to be learned
	run.progress.reconcile(run.store)
	s := run.progress.state
	if most := int64(c.Loop.ReplayRatio * float64(left.Positions)); s.Again > left.Positions || s.Target-s.Samples > most+1 || s.Grown > s.Target {
		t.Errorf("%s: %d positions are left, and it is at %+v", mode, left.Positions, s)
	}
	shut(t, run)

	c.Loop.Generations = 4
	if _, w := work(t, path, c, -1); w.logged("any more") > 0 {
		t.Errorf("%s: logged %q again", mode, w.lines)
	}
	now := scan()
	after := counters(t, path)
	if after.Moved != want || after.Saved.Games != all.Games+now.Games-left.Games || after.Games < before.Games+2*c.Loop.GamesPerGeneration {
		t.Errorf("%s: it has %d more games, and is at %+v; before %+v", mode, now.Games-left.Games, after, before)
	}
	for _, s := range now.Shards {
		if old := slices.Contains(left.Shards, s); !old && (s.First < all.Next() || mode == recipe.Async && s.Arrival <= all.Arrival) {
			t.Errorf("%s: game %d of %s, arrived as number %d, comes after game %d, number %d", mode, s.First, s.Path, s.Arrival, all.Next()-1, all.Arrival)
		}
	}
	for path, content := range away {
		if err := os.WriteFile(path, content, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	run = open(t, path, c, observe.Nobody, slog.New(slog.DiscardHandler))
	if n := scan().Games; run.progress.state.Moved != (data.Totals{}) || run.store.Saved().Games != n {
		t.Errorf("%s: with all %d games it counts %+v, and is at %+v", mode, n, run.store.Saved(), run.progress.state)
	}
	shut(t, run)
}

// stopAfter cancels a context after a number of games.
type stopAfter struct {
	games  atomic.Int64
	cancel context.CancelFunc
}

func (s *stopAfter) Observe(e observe.Event) {
	if _, ok := e.(*observe.GameEnded); ok && s.games.Add(-1) == 0 {
		s.cancel()
	}
}

// A synchronous generation that has to play fewer games after an interruption finds more of them. The next
// one plays games with numbers beyond all of these, not the same numbers again.
func TestNextGenerationPlaysNewNumbers(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "run")
	c := tiny(recipe.Sync)
	c.SelfPlay.Workers, c.SelfPlay.GamesPerWorker = 1, 1
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	stop := &stopAfter{cancel: cancel}
	stop.games.Store(int64(c.Loop.BootstrapGames) + 3)
	run := open(t, path, c, stop, slog.New(slog.DiscardHandler))
	if err := run.Train(ctx); err != nil {
		t.Fatal(err)
	}
	shut(t, run)
	before, err := data.Scan(filepath.Join(path, "games"), nil)
	if err != nil || before.Games < c.Loop.BootstrapGames+3 || before.Games == c.Loop.BootstrapGames+c.Loop.GamesPerGeneration {
		t.Fatalf("%d games before the interruption, %v", before.Games, err)
	}
	c.Loop.GamesPerGeneration = 1
	work(t, path, c, -1)
	if after := counters(t, path); after.Generation != 3 || after.Games != before.Games+1 {
		t.Errorf("generation %d with %d games, and the generation before it had %d", after.Generation, after.Games, before.Games)
	}
}

// TestReadingTheGames: a run that continues shows how far it has read its games, and stops there at the end of the context.
func TestReadingTheGames(t *testing.T) {
	t.Parallel()
	c, path := tiny(recipe.Sync), filepath.Join(t.TempDir(), "run")
	work(t, path, c, 1)
	dir, err := OpenDir(path)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := Open(ctx, dir, c, observe.Nobody, nil, slog.New(slog.DiscardHandler)); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end of the context: %v", err)
	}
	var text bytes.Buffer
	shown := metrics.OnTerminal(&text)
	run, err := Open(t.Context(), dir, c, observe.Nobody, shown, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	shut(t, run)
	shown.Close()
	if !strings.Contains(text.String(), "reading the games of run") {
		t.Errorf("it shows %q", text.String())
	}
}
