package train

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"warren/data"
	"warren/learn"
	"warren/settings"
	"warren/watch"
)

// A run learns from each position as often as loop.samples_per_position says.
func TestSamplesFollowThePositions(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "run")
	c := tiny(settings.Sync)
	work(t, path, c, -1)
	index, err := data.Scan(filepath.Join(path, "games"), nil)
	if err != nil {
		t.Fatal(err)
	}
	samples, want := counters(t, path).Samples, c.Loop.SamplesPerPosition*float64(index.Positions)
	if math.Abs(float64(samples)-want) > float64(2*c.Learner.Batch) {
		t.Errorf("%d samples of %d positions, want %.0f", samples, index.Positions, want)
	}
}

// Self-play waits for the learner when it is ahead by loop.max_lead, rounded up to whole games.
func TestSelfPlayIsHeld(t *testing.T) {
	t.Parallel()
	dir, err := OpenDir(filepath.Join(t.TempDir(), "run"))
	if err != nil {
		t.Fatal(err)
	}
	c := tiny(settings.Async)
	c.Loop.MaxLead = 1.5
	run, err := Open(dir, c, watch.Nobody, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	run.setState(func(s *state) { s.Generation, s.Games = 2, 100 })
	run.holdPlaying()
	if run.store.bound != 108 {
		t.Errorf("self-play is held at %d games, want 108, one and a half generations of 5 after 100", run.store.bound)
	}
	if err := errors.Join(run.Close(), dir.Close()); err != nil {
		t.Error(err)
	}
}

// While the gatekeeper's match is played, the learner waits for a match.
func TestLearnerWaitsForTheGatekeeper(t *testing.T) {
	t.Parallel()
	dir, err := OpenDir(filepath.Join(t.TempDir(), "run"))
	if err != nil {
		t.Fatal(err)
	}
	c := tiny(settings.Async)
	c.Match.Gatekeeper.Games = 2
	run, err := Open(dir, c, watch.Nobody, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	run.setState(func(s *state) { s.Generation, s.Rejected, s.Untested = 1, 1, true })
	stopped, cancel := context.WithCancel(t.Context())
	cancel()
	if err := run.test(stopped); err != nil { // no further than the gatekeeper's match
		t.Fatal(err)
	}
	if run.waits.matches <= 0 {
		t.Error("the learner has not waited for the gatekeeper's match")
	}
	if err := errors.Join(run.Close(), dir.Close()); err != nil {
		t.Error(err)
	}
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

// A kill undoes at most saveEvery of a long training.
func TestLearningIsSaved(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run")
	c := tiny(settings.Sync)
	c.Loop.Generations = 1
	work(t, path, c, -1)
	dir, err := OpenDir(path)
	if err != nil {
		t.Fatal(err)
	}
	c.Loop.Generations = 2
	run, err := Open(dir, c, watch.Nobody, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	const step, steps = 20 * time.Second, 11
	run.learner.Trainer = slow{run.learner.Trainer, step}
	run.setState(func(s *state) { s.From, s.Target = s.Samples, s.Samples+steps*int64(c.Learner.Batch) })
	begun := run.state.Step
	synctest.Test(t, func(t *testing.T) {
		run.clock, run.began, run.saved = newClock(settings.WallClock), 0, time.Now()
		if err := run.learn(t.Context()); err != nil {
			t.Fatal(err)
		}
	})
	if made := run.state.Step - begun; made != steps {
		t.Fatalf("%d steps were made, want %d", made, steps)
	}
	if undone := time.Duration(run.state.Step-counters(t, path).Step) * step; undone > saveEvery {
		t.Errorf("a kill would undo %v, want at most %v", undone, saveEvery)
	}
	if err := errors.Join(run.Close(), dir.Close()); err != nil {
		t.Error(err)
	}
}
