package train

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"warren/data"
	"warren/internal/arena"
	"warren/internal/learn"
	"warren/internal/observe"
	"warren/internal/recipe"
	"warren/internal/selfplay"
	"warren/net"
)

// idle is a trainer that only has a state, and counts how often it is saved.
type idle struct {
	learn.Trainer
	saves int
}

func (i *idle) State() ([]net.Tensor, error) {
	i.saves++
	return []net.Tensor{{Name: "weight", Shape: []int{1}, Data: []float32{1}}}, nil
}

// endless plays games that end only with their context.
type endless struct{}

func (endless) PlayMatch(ctx context.Context, f *arena.Fixture) (*arena.Played, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func (endless) MatchSeats() int { return 1 }

func endlessly(ctx context.Context, job selfplay.Job, networks selfplay.Networks, store *Store, observer observe.Observer) error {
	<-ctx.Done()
	return ctx.Err()
}

// While games are played, or waited for, the time of the run is saved every minute: a kill gives back little of it. A
// run whose time is over waits no longer.
func TestTimeIsSavedWhileGamesArePlayed(t *testing.T) {
	collect := func(ctx context.Context, r *Run) error {
		_, err := r.collect(ctx, &player{done: make(chan struct{})})
		return err
	}
	players := randomAndGreedy(t)
	for _, c := range []struct {
		what, mode string
		duration   time.Duration // of the run
		work       func(context.Context, *Run) error
	}{
		{"games, asynchronous", recipe.Async, time.Hour, collect},
		{"games, asynchronous, to the end", recipe.Async, 10 * time.Minute, collect},
		{"games, synchronous", recipe.Sync, time.Hour, collect},
		{"a match", recipe.Async, time.Hour, func(ctx context.Context, r *Run) error {
			t, err := r.matches.tournament("gen-00001", arena.TournamentConfig{Rules: arena.Rules{TurnLimit: 10}, Games: 2}, players)
			if err != nil {
				return err
			}
			_, err = r.matches.finish(ctx, t, "others")
			return errors.Join(err, t.Close())
		}},
	} {
		path := filepath.Join(t.TempDir(), "run")
		synctest.Test(t, func(t *testing.T) {
			dir, err := OpenDir(path)
			if err != nil {
				t.Fatal(err)
			}
			defer dir.Close()
			trainer := &idle{}
			r := &Run{config: tiny(c.mode), dir: dir, log: slog.New(slog.DiscardHandler), store: &Store{index: &data.Index{}}}
			r.config.Loop.Duration = c.duration
			r.stages = []recipe.Stage{{Config: r.config}}
			r.join(make([]selfplay.Rules, 1))
			r.training.store, r.training.learner, r.selfPlay.store = r.store, &learner{Trainer: trainer}, r.store
			r.progress.start(newClock(recipe.WallClock))
			r.PlayElsewhere(endlessly)
			r.PlayMatchesWith(endless{})
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute+30*time.Second)
			defer cancel()
			go r.progress.keepTime(ctx)
			if err := c.work(ctx, r); err != nil {
				t.Fatal(err)
			}
			if s := counters(t, path); s.Elapsed < r.progress.elapsed()-saveEvery-time.Second {
				t.Errorf("%s: after %v, %v are saved", c.what, r.progress.elapsed(), s.Elapsed)
			}
			if trainer.saves > 11 {
				t.Errorf("%s: it was saved %d times in %v", c.what, trainer.saves, r.progress.elapsed())
			}
			if ended := ctx.Err() == nil; ended != (c.duration < time.Hour) {
				t.Errorf("%s: it has ended by itself: %t", c.what, ended)
			}
		})
	}
}
