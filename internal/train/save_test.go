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

// idle is a trainer that only has a state.
type idle struct{ learn.Trainer }

func (idle) State() ([]net.Tensor, error) {
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

// While games are played, or waited for, the time of the run is saved: a kill gives back little of it.
func TestTimeIsSavedWhileGamesArePlayed(t *testing.T) {
	collect := func(ctx context.Context, r *Run) error {
		_, err := r.collect(ctx, &player{done: make(chan struct{})})
		return err
	}
	players := randomAndGreedy(t)
	for _, c := range []struct {
		what, mode string
		work       func(context.Context, *Run) error
	}{
		{"games, asynchronous", recipe.Async, collect},
		{"games, synchronous", recipe.Sync, collect},
		{"a match", recipe.Async, func(ctx context.Context, r *Run) error {
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
			r := &Run{config: tiny(c.mode), dir: dir, log: slog.New(slog.DiscardHandler), store: &Store{index: &data.Index{}}}
			r.stages = []recipe.Stage{{Config: r.config}}
			r.join(make([]selfplay.Rules, 1))
			r.training.store, r.training.learner, r.selfPlay.store = r.store, &learner{Trainer: idle{}}, r.store
			r.progress.start(newClock(recipe.WallClock))
			r.PlayElsewhere(endlessly)
			r.PlayMatchesWith(endless{})
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute+30*time.Second)
			defer cancel()
			go r.progress.keepTime(ctx)
			if err := c.work(ctx, r); err != nil {
				t.Fatal(err)
			}
			if s := counters(t, path); s.Elapsed < 10*time.Minute {
				t.Errorf("%s: after %v, %v are saved", c.what, r.progress.elapsed(), s.Elapsed)
			}
		})
	}
}
