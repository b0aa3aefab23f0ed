package train

import (
	"context"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"warren/data"
	"warren/internal/learn"
	"warren/internal/observe"
	"warren/internal/recipe"
)

// A run learns from each position as often as loop.replay_ratio says.
func TestSamplesFollowThePositions(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "run")
	c := tiny(recipe.Sync)
	work(t, path, c, -1)
	index, err := data.Scan(filepath.Join(path, "games"), nil)
	if err != nil {
		t.Fatal(err)
	}
	samples, want := counters(t, path).Samples, c.Loop.ReplayRatio*float64(index.Positions)
	if math.Abs(float64(samples)-want) > float64(2*c.Learner.Batch) {
		t.Errorf("%d samples of %d positions, want %.0f", samples, index.Positions, want)
	}
}

// A run without its games learns from each new position as often as loop.replay_ratio says, from the first new
// generation on.
func TestSamplesOfAWindowThatRefills(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "run")
	c := tiny(recipe.Sync)
	c.Loop.Generations = 1
	work(t, path, c, -1)
	before := counters(t, path)
	if err := os.RemoveAll(filepath.Join(path, "games")); err != nil {
		t.Fatal(err)
	}
	c.Loop.Generations, c.Loop.ReplayRatio = 2, 4
	work(t, path, c, -1)
	after := counters(t, path)
	added := after.Saved.Positions - before.Saved.Positions
	if got, want := after.Target-before.Target, int64(4*added); got != want || added == 0 {
		t.Errorf("%d samples for %d positions, want %d", got, added, want)
	}
}

// While the gatekeeper's match is played, the learner waits for a match.
func TestLearnerWaitsForTheGatekeeper(t *testing.T) {
	t.Parallel()
	c := tiny(recipe.Async)
	c.Match.Gatekeeper.Games = 2
	run := open(t, filepath.Join(t.TempDir(), "run"), c, observe.Nobody, slog.New(slog.DiscardHandler))
	run.progress.set(func(s *state) { s.Generation, s.Rejected, s.Untested = 1, 1, true })
	stopped, cancel := context.WithCancel(t.Context())
	cancel()
	if err := run.test(stopped); err != nil { // no further than the gatekeeper's match
		t.Fatal(err)
	}
	if run.reports.waits.matches <= 0 {
		t.Error("the learner has not waited for the gatekeeper's match")
	}
	shut(t, run)
}

// slow is a trainer whose steps take a time of the bubble's clock and change nothing.
type slow struct {
	learn.Trainer
	step time.Duration
}

func (s slow) Step(*learn.Batch, float64) (learn.Losses, error) {
	time.Sleep(s.step)
	return nil, nil
}

// A kill undoes at most saveEvery of a long training, which ends with the time of the run.
func TestLearningIsSaved(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run")
	c := tiny(recipe.Sync)
	c.Loop.Generations = 1
	work(t, path, c, -1)
	c.Loop.Generations = 2
	const step, steps = 20 * time.Second, 11
	for _, duration := range []time.Duration{5 * step, 0} {
		c.Loop.Duration = duration
		run := open(t, path, c, observe.Nobody, slog.New(slog.DiscardHandler))
		run.training.learner.Trainer = slow{run.training.learner.Trainer, step}
		run.progress.set(func(s *state) { s.From, s.Target = s.Samples, s.Samples+steps*int64(c.Learner.Batch) })
		begun := run.progress.state.Step
		synctest.Test(t, func(t *testing.T) {
			began := time.Now()
			run.progress.clock, run.progress.began, run.training.saved = func() time.Duration { return time.Since(began) }, 0, began
			if _, err := run.learn(t.Context()); err != nil {
				t.Fatal(err)
			}
		})
		want := int64(steps)
		if duration > 0 {
			want = int64(duration / step)
		}
		if s := run.progress.state; s.Step-begun != want || s.Samples != s.Target {
			t.Fatalf("%d steps were made, want %d; %d samples of %d", s.Step-begun, want, s.Samples, s.Target)
		}
		if undone := time.Duration(run.progress.state.Step-counters(t, path).Step) * step; undone > saveEvery {
			t.Errorf("a kill would undo %v, want at most %v", undone, saveEvery)
		}
		shut(t, run)
	}
}

// rated is a trainer that keeps the learning rates of its steps.
type rated struct {
	learn.Trainer
	rates []float64
}

func (r *rated) Step(b *learn.Batch, rate float64) (learn.Losses, error) {
	r.rates = append(r.rates, rate)
	return r.Trainer.Step(b, rate)
}

// cosine sets a rate that falls from 0.01 to 0.001.
func cosine(c *learn.RateConfig) {
	c.WarmUp, c.Initial, c.Final = 0, 0.01, 0.001
}

// fall checks that the rates are those of as many steps, evenly from the given part of the
// training to its end.
func (r *rated) fall(t *testing.T, steps int, from float64) {
	t.Helper()
	if len(r.rates) != steps {
		t.Fatalf("%d steps were made, want %d", len(r.rates), steps)
	}
	for i, rate := range r.rates {
		done := from + (1-from)*float64(i)/float64(steps)
		if want := 0.001 + 0.009*(1+math.Cos(math.Pi*done))/2; math.Abs(rate-want) > 1e-9 {
			t.Errorf("step %d has the rate %g, want %g", i, rate, want)
		}
	}
}

// TestRateFollowsTheRun: with a schedule, the learning rate falls as the run continues.
func TestRateFollowsTheRun(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "run")
	c := tiny(recipe.Sync)
	c.Loop.Generations = 1
	cosine(&c.Learner.Rate)
	work(t, path, c, -1)
	c.Loop.Generations = 2
	run := open(t, path, c, observe.Nobody, slog.New(slog.DiscardHandler))
	const steps = 10
	r := &rated{Trainer: run.training.learner.Trainer}
	run.training.learner.Trainer = r
	run.progress.set(func(s *state) { s.From, s.Target = s.Samples, s.Samples+steps*int64(c.Learner.Batch) })
	if _, err := run.learn(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.fall(t, steps, 0.5) // in the second half of the run
	shut(t, run)
}

// TestSmallerGenerations: a synchronous run with more games of a generation than its settings
// ask for now uses no number twice.
func TestSmallerGenerations(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "run")
	c := tiny(recipe.Sync)
	c.Loop.Generations = 1
	work(t, path, c, -1)
	c.Loop.Generations, c.Loop.GamesPerGeneration = 2, 12
	more := c.Loop.BootstrapGames + 9
	scan := func() *data.Index {
		index, err := data.Scan(filepath.Join(path, "games"), nil)
		if err != nil {
			t.Fatal(err)
		}
		return index
	}
	for events := 1; int(scan().Next()) < more; events++ {
		if finished, _ := work(t, path, c, events); finished {
			t.Fatal("the run was not interrupted among the games of its second generation")
		}
	}
	if s := counters(t, path); s.Generation != 1 {
		t.Fatalf("the run is at generation %d", s.Generation)
	}
	c.Loop.Generations, c.Loop.GamesPerGeneration = 3, 3
	work(t, path, c, -1)
	seen := map[uint64]bool{}
	for _, r := range records(t, path) {
		if seen[r.Game] {
			t.Errorf("game %d was played twice", r.Game)
		}
		seen[r.Game] = true
	}
	if next := scan().Next(); int(next) < more+c.Loop.GamesPerGeneration {
		t.Errorf("the games end with number %d, want %d and those of one more generation", next-1, more)
	}
}

// TestEndWhilePlaying: a run whose time ends before its newest games have taught anything publishes no network. A longer
// run continues as if it had not ended.
func TestEndWhilePlaying(t *testing.T) {
	t.Parallel()
	c := tiny(recipe.Sync)
	whole, path := filepath.Join(t.TempDir(), "run"), filepath.Join(t.TempDir(), "run")
	work(t, whole, c, -1)
	short := c
	short.Loop.Duration = time.Nanosecond
	work(t, path, short, -1) // which ends before it plays
	run := open(t, path, short, observe.Nobody, slog.New(slog.DiscardHandler))
	if err := run.generation(t.Context(), nobody()); err != nil {
		t.Fatal(err)
	}
	if err := run.Train(t.Context()); err != nil {
		t.Fatal(err)
	}
	shut(t, run)
	if s := counters(t, path); s.Games == 0 || s.Generation != 0 || s.Samples >= s.Target {
		t.Errorf("it ends at %+v", s)
	}
	work(t, path, c, -1)
	if weights(t, path, 3) != weights(t, whole, 3) {
		t.Error("the longer run has another network")
	}
}

// holding lets games wait from the first step of the training on.
type holding struct {
	run   *Run
	waits []float64 // as the events say
}

func (h *holding) Observe(e observe.Event) {
	if e, ok := e.(*observe.Learned); ok {
		h.waits = append(h.waits, e.Waits)
		h.run.store.holdAt(1)
	}
}

// TestGamesThatWait: while games wait for the learner, its events say how much of the generation's samples it has learned.
func TestGamesThatWait(t *testing.T) {
	t.Parallel()
	h := new(holding)
	h.run = open(t, filepath.Join(t.TempDir(), "run"), tiny(recipe.Sync), h, slog.New(slog.DiscardHandler))
	if err := h.run.generation(t.Context(), nobody()); err != nil {
		t.Fatal(err)
	}
	shut(t, h.run)
	if n := len(h.waits); n < 3 || h.waits[0] != 0 || h.waits[1] <= 0 || !slices.IsSorted(h.waits[:n-1]) || h.waits[n-2] >= 1 || h.waits[n-1] != 0 {
		t.Errorf("of %d steps the events say %v", n, h.waits)
	}
}

// ending notes in which order self-play and the matches end.
type ending struct {
	mu  sync.Mutex
	all []string
}

func (o *ending) Observe(e observe.Event) {
	o.mu.Lock()
	defer o.mu.Unlock()
	name := ""
	switch e.(type) {
	case *observe.GameBegan, *observe.Acted:
		name = "games"
	case *observe.PlayingEnded:
		name = "the end"
	case *observe.MatchBegan:
		name = "a match"
	}
	if n := len(o.all); name != "" && (n == 0 || o.all[n-1] != name) {
		o.all = append(o.all, name)
	}
}

// TestEndOfPlaying: a run says that no game is played any more when its games are cut off, before the closing match.
func TestEndOfPlaying(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{recipe.Async, recipe.Sync} {
		c := tiny(mode)
		c.Match.Every, c.Match.Games, c.Match.Visits, c.Match.TurnLimit, c.Match.Baselines = 9, 2, 2, 4, "random"
		o := new(ending)
		run := open(t, filepath.Join(t.TempDir(), "run"), c, o, slog.New(slog.DiscardHandler))
		if err := run.Train(t.Context()); err != nil {
			t.Fatal(err)
		}
		shut(t, run)
		if want := []string{"games", "the end", "a match"}; !slices.Equal(o.all, want) {
			t.Errorf("%s: there are %q, want %q", mode, o.all, want)
		}
	}
}
