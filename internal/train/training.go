package train

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"warren/internal/learn"
	learning "warren/internal/learn/device"
	"warren/internal/recipe"
	"warren/net"
)

// training is the learner of a run on the device that it uses now, with its checkpoints.
type training struct {
	*learner
	stages   []recipe.Stage
	dir      *Dir
	trainers *learning.Choice
	progress *progress
	store    *Store
	saved    time.Time // when the newest checkpoint was made, or the run opened
	log      *slog.Logger
}

// restore makes the learner as it was at a checkpoint. Without tensors nothing has been learned.
func (t *training) restore(saved state, tensors []net.Tensor) error {
	c := &t.stages[saved.Learner].Config
	network, err := net.New(c.Network, c.Seed)
	if err != nil {
		return err
	}
	if t.learner, err = newLearner(c, network, t.trainers); err != nil {
		return err
	}
	t.begun = saved.Begun
	t.progress.set(func(s *state) { *s = saved })
	if tensors == nil {
		return nil
	}
	return t.dir.fits(t.Restore(tensors))
}

// move goes back to the newest checkpoint on another device, after the learner's has been lost. The
// games that were collected since stay collected.
func (t *training) move(lost error) error {
	now := t.progress.state
	err := t.trainers.Lost(lost)
	if err == nil {
		if err = errors.Join(t.Close(), t.again()); err != nil {
			err = fmt.Errorf("%w; then: %w", lost, err) // still a loss, so the newest checkpoint stays
		}
	}
	if err != nil {
		return fmt.Errorf("%w; games are saved, and the same command continues from the newest checkpoint", err)
	}
	t.progress.set(func(s *state) {
		s.Games, s.Positions, s.From, s.Target, s.Grown = now.Games, now.Positions, now.From, now.Target, now.Grown
		s.Again = min(s.Again, now.Again) // it begins with a checkpoint and ends with a collection
	})
	return nil
}

// again makes the learner as it was at the newest checkpoint.
func (t *training) again() error {
	saved, tensors, err := t.dir.loadCheckpoint(t.log)
	if err != nil {
		return err
	}
	return t.restore(saved, tensors)
}

// checkpoint saves the learner and the counters. Without a learner the newest checkpoint stays.
func (t *training) checkpoint() error {
	if t.learner == nil {
		return nil
	}
	t.progress.set(func(s *state) { s.Elapsed, s.Saved = t.progress.elapsed(), t.store.Saved() })
	tensors, err := t.State()
	if err != nil {
		return err
	}
	if err := t.dir.saveCheckpoint(t.progress.state, tensors); err != nil {
		return err
	}
	t.saved = time.Now()
	return nil
}

// saveEvery limits the training that a kill can undo, and the time of the run that
// it can give back.
const saveEvery = time.Minute

// saveIfDue makes a checkpoint if the newest is older than saveEvery.
func (t *training) saveIfDue() error {
	if time.Since(t.saved) < saveEvery {
		return nil
	}
	return t.checkpoint()
}

// saving calls f, which plays games, and makes checkpoints in the meantime, so that
// its time counts after a kill. f must not use the learner or change the counters.
func (t *training) saving(ctx context.Context, f func(context.Context) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- f(ctx) }()
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case err := <-done:
			return err
		case <-tick.C:
		}
		// The next use notices a lost learner: games must not stop for it, or they would be played again.
		if err := t.saveIfDue(); err != nil && !errors.Is(err, learn.ErrLost) {
			cancel()
			<-done // its error says only that it was stopped
			return err
		}
	}
}

// close releases the learner. There is none if no device was left for it.
func (t *training) close() error {
	if t.learner == nil {
		return nil
	}
	return t.Close()
}
