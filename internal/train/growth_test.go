package train

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

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

// TestGrowingWithoutTheGames: where the games are not there any more, the smaller network plays until the larger one has
// been trained on as many samples of new games, wherever the run is interrupted.
func TestGrowingWithoutTheGames(t *testing.T) {
	t.Parallel()
	c := staged(1)
	c.Loop.Stages += growing
	for _, steps := range []int{3, 0} {
		if steps == 0 && testing.Short() {
			break
		}
		r := atLastStage(t, c)
		path, before := r.dir.Path(), r.progress.state
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
		if s := counters(t, path); s.Moved != s.Saved || s.Moved.Positions == 0 { // else a kill after new games would let others have their numbers
			t.Errorf("the checkpoint is at %+v", s)
		}
		shut(t, r)
		work(t, path, c, -1)
		s := counters(t, path)
		if owed := int64(0.75 * float64(before.Again)); s.Generation != 3 || s.Samples-before.Samples < owed {
			t.Errorf("after %d steps without its games, the network was trained on %d samples, and %d are owed: %+v", steps, s.Samples-before.Samples, owed, s)
		}
		for _, r := range records(t, path) {
			if r.Generation != 2 {
				t.Errorf("generation %d has played game %d", r.Generation, r.Game)
			}
		}
		interrupt(t, broken, c, upTo(8, 1, 2))
		if weights(t, broken, 3) != weights(t, path, 3) {
			t.Errorf("after %d steps without its games, an interrupted run gave another network", steps)
		}
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
	path, w := r.dir.Path(), &watcher{left: -1}
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
		what              string
		window, positions int
		again             int
	}{
		{"the window holds everything", 2 * saved, saved, saved},
		{"the window holds half", saved / 2, saved, saved / 2},
		{"some are new", 2 * saved, saved - 7, saved - 7},
	} {
		r.stages[2].Data.WindowPositions = c.window
		r.progress.set(func(s *state) { s.Stage, s.Again, s.Positions = 1, 0, c.positions })
		if err := r.enterStage(); err != nil {
			t.Fatal(err)
		}
		if s := &r.progress.state; s.Stage != 2 || s.Again != c.again {
			t.Errorf("%s: it is at %+v, want %d positions again", c.what, s, c.again)
		}
	}
	small := r.store.windows.Train.Positions()
	if err := r.store.configure(r.stages[:1]); err != nil { // as in a stage with the window of the first
		t.Fatal(err)
	}
	if n := r.store.windows.Train.Positions(); n <= small || n > r.stages[0].Data.WindowPositions {
		t.Errorf("the window went from %d positions to %d", small, n)
	}
}

// TestWindowThatIsBack: a network that could not learn the window while the games were away does so once they are back.
func TestWindowThatIsBack(t *testing.T) {
	t.Parallel()
	c := staged(1)
	c.Loop.Stages += growing
	r := atLastStage(t, c)
	defer shut(t, r)
	owed := int64(10_000)
	r.progress.set(func(s *state) { s.Again, s.Target, s.Grown = 0, s.Samples, s.Samples+owed })
	if enough, err := r.collect(t.Context(), nobody()); err != nil || !enough {
		t.Fatal(enough, err)
	}
	if s := &r.progress.state; s.Target < s.Samples+owed {
		t.Errorf("%d samples are owed, and it is at %+v", owed, s)
	}
}
