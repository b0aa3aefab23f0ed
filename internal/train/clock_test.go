package train

import (
	"context"
	"log/slog"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"warren/internal/observe"
	"warren/internal/recipe"
)

// The processor clock advances as work is done.
func TestProcessorClockGrowsWithWork(t *testing.T) {
	clock := newClock(recipe.ProcessorClock)
	before := clock()
	sum := uint64(1)
	for i := 0; clock()-before < 20*time.Millisecond; i++ {
		if i == 1e6 { // about a second of work
			t.Fatal("the clock stands still")
		}
		for range 1000 {
			sum = sum*6364136223846793005 + 1
		}
	}
	if sum == 0 {
		t.Log(sum)
	}
}

// A run on the processor clock ends when its duration is used up, and is still
// finished when it is opened again.
func TestRunEndsByProcessorTime(t *testing.T) {
	config := tiny(recipe.Async)
	config.Loop.Generations, config.Loop.Duration, config.Loop.Clock = 0, 300*time.Millisecond, recipe.ProcessorClock
	path := t.TempDir()
	before := processorTime()
	if finished, _ := work(t, path, config, -1); !finished {
		t.Error("the run did not finish")
	}
	if used := processorTime() - before; used < config.Loop.Duration {
		t.Errorf("the run ended after %v of processor time, want at least %v", used, config.Loop.Duration)
	}
	if finished, w := work(t, path, config, -1); !finished || w.logged("continuing with the run") != 1 {
		t.Errorf("opened again it is finished: %v, and said %q", finished, w.lines)
	}
}

// A run that is continued with another duration says what becomes of its learning rate, if that changes.
func TestAnotherDuration(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "run")
	c := tiny(recipe.Sync)
	c.Loop.Duration, c.Loop.Generations = 100*time.Hour, 0
	cosine(&c.Learner.Rate)
	run := open(t, path, c, observe.Nobody, slog.New(slog.DiscardHandler))
	run.progress.began -= 50 * time.Hour
	run.progress.set(func(s *state) { s.Generation, s.Rejected = 1, 1 })
	if err := run.training.checkpoint(); err != nil {
		t.Fatal(err)
	}
	shut(t, run)
	for i, now := range []struct {
		hours       time.Duration
		generations int
		said        string
	}{
		{200, 0, "loop.duration was 100h0m0s and is 200h0m0s: the run is 25% done instead of 50%, and its learning rate is 0.0087 instead of 0.0055"},
		{200, 2, ""},
		{400, 2, ""}, // its generations count
	} {
		c.Loop.Duration, c.Loop.Generations = now.hours*time.Hour, now.generations
		w := &watcher{left: -1}
		shut(t, open(t, path, c, observe.Nobody, slog.New(w)))
		if n := w.logged("loop.duration was"); n > 0 != (now.said != "") || w.logged(now.said) == 0 {
			t.Errorf("%d: logged %q", i, w.lines)
		}
	}
}

// The time for which a process is stopped is no time of its run, so that the learning rate and the stages are where
// they were.
func TestStoppedTimeDoesNotCount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := recipe.DefaultConfig()
		c.Loop.Duration = time.Hour
		p := newProgress([]recipe.Stage{{Config: c}, {Begin: 0.5, Config: c}})
		p.state.Elapsed = 6 * time.Minute
		p.start(newClock(recipe.WallClock))
		working, stop := context.WithCancel(t.Context())
		go p.keepTime(working)
		time.Sleep(12*time.Minute + time.Second/2)
		stop()
		synctest.Wait()
		time.Sleep(3 * time.Hour) // nothing reads the clock
		go p.keepTime(t.Context())
		time.Sleep(12 * time.Minute)
		synctest.Wait()
		if got, least := p.elapsed(), 30*time.Minute; got < least || got > least+2*longestGap {
			t.Errorf("the run is %v old, want %v", got, least)
		}
	})
}

// reading is an observer of a run that waits in its first game until the clock of the run is read.
type reading struct {
	clock chan struct{}
	once  sync.Once
	t     *testing.T
}

func (r *reading) Observe(e observe.Event) {
	if _, ok := e.(*observe.GameEnded); ok {
		r.once.Do(func() {
			select {
			case <-r.clock:
			case <-time.After(time.Minute):
				r.t.Error("nothing reads the clock")
			}
		})
	}
}

// A run reads its clock even while nothing but self-play is under way, and counts its generations for the time left.
func TestRunKeepsTime(t *testing.T) {
	t.Parallel()
	c := tiny(recipe.Sync)
	c.Loop.Generations = 1
	w := &reading{clock: make(chan struct{}), t: t}
	r := open(t, filepath.Join(t.TempDir(), "run"), c, w, slog.New(slog.DiscardHandler))
	defer shut(t, r)
	clock := r.progress.clock
	r.progress.clock = func() time.Duration {
		select {
		case w.clock <- struct{}{}:
		default:
		}
		return clock()
	}
	if err := r.Train(t.Context()); err != nil {
		t.Fatal(err)
	}
	if made := r.progress.pace.made; made != 0 {
		t.Errorf("it has made %d generations after its first, want 0", made)
	}
}
