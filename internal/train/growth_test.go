package train

import (
	"context"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"warren/data"
	"warren/internal/observe"
)

// growth stops a run after a number of steps of the network that has grown.
type growth struct {
	run    *Run
	steps  int
	window float64 // in the last event
	cancel context.CancelFunc
}

func (g *growth) Observe(e observe.Event) {
	if e, ok := e.(*observe.Learned); ok && g.run.progress.state.Learner == 2 {
		g.window = e.Window
		if g.steps--; g.steps == 0 {
			g.cancel()
		}
	}
}

// TestGrowingWithoutTheGames: where the games are not there any more, nothing of them is owed: the larger network plays
// after a generation of new games, wherever the run is interrupted.
func TestGrowingWithoutTheGames(t *testing.T) {
	t.Parallel()
	c := staged(1)
	c.Loop.Stages += growing
	for _, steps := range []int{3, 0} {
		if steps == 0 && testing.Short() {
			break
		}
		r := atLastStage(t, c)
		path, before := r.dir.path, r.progress.state
		shut(t, r)
		if before.Again == 0 || before.Again > before.Saved.Positions {
			t.Fatalf("it is at %+v", before)
		}
		if steps > 0 {
			ctx, cancel := context.WithCancel(t.Context())
			g := &growth{steps: steps, cancel: cancel}
			g.run = open(t, path, c, g, slog.New(slog.DiscardHandler))
			if err := g.run.Train(ctx); err != nil {
				t.Fatal(err)
			}
			shut(t, g.run)
		}
		if err := os.RemoveAll(r.dir.games()); err != nil {
			t.Fatal(err)
		}
		broken := filepath.Join(t.TempDir(), "run")
		if err := os.CopyFS(broken, os.DirFS(path)); err != nil {
			t.Fatal(err)
		}
		r = open(t, path, c, observe.Nobody, slog.New(slog.DiscardHandler))
		lost := counters(t, path)
		if lost.Moved != lost.Saved || lost.Moved.Positions == 0 { // else a kill after new games would let others have their numbers
			t.Errorf("the checkpoint is at %+v", lost)
		}
		shut(t, r)
		work(t, path, c, -1)
		s := counters(t, path)
		played, err := data.Scan(r.dir.games(), nil)
		if err != nil {
			t.Fatal(err)
		}
		learned, want := s.Samples-lost.Samples, 0.75*float64(played.Positions)
		if s.Generation != 3 || played.Games != c.Loop.GamesPerGeneration || math.Abs(float64(learned)-want) > 8 {
			t.Errorf("after %d steps without its games, it played %d games and was trained on %d samples, want %g: %+v", steps, played.Games, learned, want, s)
		}
		for _, r := range records(t, path) {
			if r.Generation != 2 {
				t.Errorf("generation %d has played game %d", r.Generation, r.Game)
			}
		}
		starts := 0
		for finished := false; !finished; starts++ {
			ctx, cancel := context.WithCancel(t.Context())
			g := &growth{steps: 2, cancel: cancel}
			g.run = open(t, broken, c, g, slog.New(slog.DiscardHandler))
			if err := g.run.Train(ctx); err != nil {
				t.Fatal(err)
			}
			finished = g.run.Finished()
			shut(t, g.run)
		}
		if starts < 3 {
			t.Errorf("only %d starts: nothing was interrupted", starts)
		}
		if weights(t, broken, 3) != weights(t, path, 3) {
			t.Errorf("after %d steps without its games, an interrupted run gave another network", steps)
		}
	}
}

// TestNoNetworkThatPlaysWhileGrowing: a larger network that is half trained does not play instead of the one that is
// missing. The newest older one does, until the larger one is trained as if nothing had happened.
func TestNoNetworkThatPlaysWhileGrowing(t *testing.T) {
	t.Parallel()
	c := staged(1)
	c.Loop.Stages += growing
	whole := filepath.Join(t.TempDir(), "run")
	work(t, whole, c, -1)
	r := atLastStage(t, c)
	path := r.dir.path
	shut(t, r)
	ctx, cancel := context.WithCancel(t.Context())
	g := &growth{steps: 3, cancel: cancel}
	g.run = open(t, path, c, g, slog.New(slog.DiscardHandler))
	if err := g.run.Train(ctx); err != nil {
		t.Fatal(err)
	}
	shut(t, g.run)
	if err := os.Remove(r.dir.Network(2)); err != nil {
		t.Fatal(err)
	}
	w := &watcher{left: -1}
	r = open(t, path, c, observe.Nobody, slog.New(w))
	if now := r.Latest().Origin; now.Generation != 1 || now.Stage != 1 || r.progress.state.playing() != 1 || w.logged("an older one takes its place") != 1 {
		t.Errorf("generation %d plays, by the settings of stage %d, at %+v; logged %q", now.Generation, now.Stage, r.progress.state, w.lines)
	}
	shut(t, r)
	work(t, path, c, -1)
	if s := counters(t, path); s.playing() != 3 || weights(t, path, 3) != weights(t, whole, 3) {
		t.Errorf("the larger network is another, at %+v", s)
	}

	if err := os.Truncate(r.dir.Network(3), 100); err != nil {
		t.Fatal(err)
	}
	const older = "setting aside an older network, which is damaged; an older one takes its place"
	if _, _, generation, damaged, err := r.dir.findNetwork(&state{Generation: 4, Grown: 1}); err != nil || generation != 1 || len(damaged) != 1 || damaged[0].then != older {
		t.Errorf("instead of generation 4, without 2 and 3, generation %d plays, %v; %+v", generation, err, damaged)
	}

	r = atLastStage(t, c)
	r.progress.set(func(s *state) { s.Again, s.Grown = 0, s.Samples+1 })
	for generation := range 3 {
		if err := os.Remove(r.dir.Network(generation)); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.publisher.restore(); err == nil || !strings.Contains(err.Error(), "put a copy of "+r.dir.Network(2)+" back") {
		t.Errorf("without any network it continues, %v", err)
	}
	shut(t, r)
}

// TestWindowEmptiedWhileGrowing: a larger network that is half trained is not published where all games are taken out of
// the window, but after a generation of new ones.
func TestWindowEmptiedWhileGrowing(t *testing.T) {
	t.Parallel()
	c := staged(1)
	c.Loop.Stages += growing
	r := atLastStage(t, c)
	path := r.dir.path
	shut(t, r)
	g := &growth{steps: 3}
	r = open(t, path, c, g, slog.New(slog.DiscardHandler))
	defer shut(t, r)
	g.run, g.cancel = r, func() {
		if err := r.store.Discard([]data.Range{{Count: int(r.store.Saved().Next)}}); err != nil {
			t.Error(err)
		}
	}
	if err := r.generation(t.Context(), nobody()); err != nil {
		t.Fatal(err)
	}
	half, saved := r.progress.state, r.store.Saved()
	if half.Generation != 2 || half.growing() || g.steps != 0 {
		t.Fatalf("without games it is at %+v", half)
	}
	if err := r.generation(t.Context(), nobody()); err != nil {
		t.Fatal(err)
	}
	s, now := r.progress.state, r.store.Saved()
	played, learned, want := now.Games-saved.Games, s.Samples-half.Samples, 0.75*float64(now.Positions-saved.Positions)
	if s.Generation != 3 || played != c.Loop.GamesPerGeneration || math.Abs(float64(learned)-want) > 8 {
		t.Errorf("it played %d more games and was trained on %d samples of them, want %g: %+v", played, learned, want, s)
	}
}

// TestEndWhileGrowing: a run whose time ends while its network grows keeps the smaller one. A longer run continues as if
// it had not ended.
func TestEndWhileGrowing(t *testing.T) {
	t.Parallel()
	c := staged(1)
	c.Loop.Stages += growing
	whole := filepath.Join(t.TempDir(), "run")
	work(t, whole, c, -1)
	r := atLastStage(t, c)
	shut(t, r)
	path, w := r.dir.path, &watcher{left: -1}
	elapsed := time.Duration(0)
	g := &growth{steps: 3, cancel: func() { elapsed = time.Hour }}
	g.run = open(t, path, c, g, slog.New(w))
	p := g.run.progress
	p.schedule.loop.Duration, p.began = time.Hour, 0
	p.clock = func() time.Duration { return elapsed }
	for !g.run.Finished() { // without Train, which reads the clock at the same time
		if err := g.run.generation(t.Context(), nobody()); err != nil {
			t.Fatal(err)
		}
	}
	if err := g.run.Train(t.Context()); err != nil {
		t.Fatal(err)
	}
	shut(t, g.run)
	s := counters(t, path)
	if s.Generation != 2 || !s.growing() || w.logged("the run has ended before its larger network was trained") != 1 {
		t.Errorf("it ends at %+v; logged %q", s, w.lines)
	}
	if share := float64(s.Samples-s.From) / float64(s.Target-s.From); g.window != share || share <= 0 {
		t.Errorf("it has learned %g of the window, and says %g", share, g.window)
	}
	if _, err := os.Stat((&Dir{path: path}).Network(3)); err == nil {
		t.Error("the larger network was published")
	}
	_, w = work(t, path, c, -1)
	if weights(t, path, 3) != weights(t, whole, 3) {
		t.Error("the longer run has another network")
	}
	if w.logged("the network has grown: the smaller one plays") != 1 {
		t.Errorf("the longer run logged %q", w.lines)
	}
}

// TestGrownNetworkLearnsTheWindow: a larger network is trained on what its window holds of the positions that the
// smaller one was trained on.
func TestGrownNetworkLearnsTheWindow(t *testing.T) {
	t.Parallel()
	c := staged(1)
	c.Loop.Stages += growing
	r := atLastStage(t, c)
	defer shut(t, r)
	saved := r.store.Saved().Positions
	for _, c := range []struct {
		what                    string
		window, positions, gone int
		again                   int
	}{
		{"the window holds everything", 2 * saved, saved, 0, saved},
		{"the window holds half", saved / 2, saved, 0, saved / 2},
		{"some are new", 2 * saved, saved - 7, 0, saved - 7},
		{"some are not in the directory", 2 * saved, saved, 9, saved - 9},
	} {
		r.stages[2].Data.WindowPositions = c.window
		r.progress.set(func(s *state) { s.Stage, s.Again, s.Positions, s.Moved.Positions = 1, 0, c.positions, c.gone })
		if err := r.enterStage(); err != nil {
			t.Fatal(err)
		}
		if s := &r.progress.state; s.Stage != 2 || s.Again != c.again {
			t.Errorf("%s: it is at %+v, want %d positions again", c.what, s, c.again)
		}
	}
	small := r.store.windows.Train.Positions()
	if err := r.store.configure(&r.stages[0].Config); err != nil { // as in a stage with the window of the first
		t.Fatal(err)
	}
	if n := r.store.windows.Train.Positions(); n <= small || n > r.stages[0].Data.WindowPositions {
		t.Errorf("the window went from %d positions to %d", small, n)
	}
}
