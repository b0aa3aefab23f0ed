package train

import (
	"context"
	"errors"
	"slices"
	"time"

	"warren/internal/eval"
	"warren/internal/learn"
	"warren/internal/observe"
)

// Train works on the run until it is finished or the context ends, and saves
// everything in both cases. The end of the context is not an error.
func (r *Run) Train(ctx context.Context) (err error) {
	working, ended := context.WithCancel(context.WithoutCancel(ctx))
	defer ended()
	go r.progress.keepTime(working)
	if err := r.withLearner(r.reportMissing); err != nil {
		return err
	}
	player := r.startPlaying(ctx)
	defer func() {
		stopped := player.stop()
		if errors.Is(err, stopped) || errors.Is(err, eval.ErrLost) && errors.Is(stopped, eval.ErrLost) {
			stopped = nil // the same failure
		}
		err = errors.Join(err, stopped, r.store.writer.Flush())
		if !errors.Is(err, learn.ErrLost) { // else the newest checkpoint stays
			err = errors.Join(err, r.withLearner(r.training.checkpoint))
		}
	}()
	for ctx.Err() == nil && !r.Finished() {
		err := r.round(ctx, player)
		if errors.Is(err, learn.ErrLost) {
			err = r.moveLearner(err)
		}
		if err != nil {
			return err
		}
	}
	if r.Finished() && r.progress.state.growing() {
		r.log.Warn("the run has ended before its larger network was trained on the replay window: the smaller one stays its newest; a longer loop.duration continues")
	}
	if err := player.stop(); err != nil {
		return err
	}
	r.reports.observe(&observe.PlayingEnded{})
	return r.withLearner(func() error { return r.test(ctx) })
}

// round tests the newest network, and brings the run to the next.
func (r *Run) round(ctx context.Context, player *player) error {
	if err := r.test(ctx); err != nil || ctx.Err() != nil {
		return err
	}
	return r.generation(ctx, player)
}

// test gives the newest network to the gatekeeper and measures it.
func (r *Run) test(ctx context.Context) error {
	began := time.Now()
	defer func() { r.reports.waits.matches += time.Since(began) }()
	if err := r.networks.retry(func() error { return r.gate(ctx) }); err != nil || ctx.Err() != nil {
		return err
	}
	if !r.progress.schedule.measures(r.progress.state.Generation, r.Finished()) {
		return nil
	}
	l := &ladder{r.matches, r.networks}
	return r.networks.retry(func() error { return l.measure(ctx, r.Latest()) })
}

// gate tests the newest network if it is untested, and gives it to self-play if
// it passes. If the context ends first, the network remains untested.
func (r *Run) gate(ctx context.Context) error {
	if !r.progress.state.Untested {
		return nil
	}
	me, err := r.publisher.newest()
	if err != nil {
		return err
	}
	passed, err := r.matches.passes(ctx, me, r.Latest())
	if err != nil || ctx.Err() != nil {
		return err
	}
	return r.publisher.decide(me, passed)
}

// generation brings the run from one network to the next.
func (r *Run) generation(ctx context.Context, player *player) error {
	if err := r.training.advance(); err != nil {
		return err
	}
	if r.progress.state.Samples >= r.progress.state.Target {
		began := time.Now()
		enough, err := r.collect(ctx, player)
		r.reports.waits.games += time.Since(began)
		if err != nil || !enough {
			return err
		}
	}
	learned, err := r.learn(ctx)
	if err != nil || r.progress.state.Samples < r.progress.state.Target {
		return err
	}
	next := int(r.store.Saved().Next)
	r.progress.set(func(s *state) {
		// With earlier settings there may be games beyond this generation's.
		s.First = max(s.First+r.config.Loop.Games(s.Generation), next)
		if learned {
			s.Generation++
			r.progress.pace.generation()
		}
	})
	if !learned { // more games are needed first
		r.holdPlaying()
		return nil
	}
	if err := r.enterStage(); err != nil {
		return err
	}
	r.publisher.candidate()
	// The checkpoint comes first: after a kill in between, the same network is
	// published again. No other may be in its place then.
	if err := r.dir.removeNetwork(r.progress.state.Generation); err != nil {
		return err
	}
	if err := r.training.checkpoint(); err != nil {
		return err
	}
	err = r.publisher.publish()
	if errors.Is(err, learn.ErrLost) {
		err = r.moveLearner(err) // it publishes the network of the checkpoint
	}
	if err != nil {
		return err
	}
	r.holdPlaying()
	return r.withLearner(r.report)
}

// collect waits for the games of the next generation, or plays them, and sets the
// number of samples to train on. It reports false if the context or the run ends
// first. In asynchronous mode it also does so if the games are too few to learn from:
// no network is published that has learned nothing, and the run waits for more.
func (r *Run) collect(ctx context.Context, player *player) (enough bool, err error) {
	if r.progress.schedule.synchronous() {
		first, count := r.progress.state.First, r.config.Loop.Games(r.progress.state.Generation)
		err := r.training.saving(ctx, func(ctx context.Context) error { return r.selfPlay.play(ctx, first, count) })
		if err != nil || ctx.Err() != nil {
			return false, err
		}
	} else if enough, err := r.await(ctx, player, r.progress.schedule.games(&r.progress.state)); err != nil || !enough {
		return false, err
	}
	if err := r.store.writer.Flush(); err != nil {
		return false, err
	}
	if err := r.store.discard(); err != nil {
		return false, err
	}
	saved, again, some := r.store.Saved(), r.progress.state.Again > 0, r.store.canLearn()
	r.progress.set(func(s *state) {
		s.From = s.Samples
		if some {
			if again {
				s.Grown = s.Target + r.progress.schedule.samples(s, s.Again)
			}
			s.Target += r.progress.schedule.samples(s, saved.Positions-s.Positions+s.Again)
			s.Positions, s.Again = saved.Positions, 0
		}
		s.Games = saved.Games
	})
	if !some {
		r.log.Warn("nothing to learn from yet: the games so far have fewer positions than one minibatch",
			"positions", r.store.windows.Train.Positions(), "learner.batch", r.training.config.Learner.Batch)
	}
	if again {
		r.reportGrowth()
	}
	r.holdPlaying()
	return some || r.progress.schedule.synchronous(), nil
}

// await waits until the given number of games have finished. It reports false if
// the context or the run's time ends first.
func (r *Run) await(ctx context.Context, player *player, games int) (bool, error) {
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for r.store.Finished() < games {
		select {
		case <-ctx.Done():
			return false, nil
		case <-player.done:
			return false, player.stop()
		case <-tick.C:
		}
		if r.Finished() {
			return false, nil
		}
		if err := r.training.saveIfDue(); err != nil {
			return false, err
		}
	}
	return true, nil
}

// holdPlaying sets the number of games at which self-play must wait for the learner. In synchronous mode
// there is no limit to set.
func (r *Run) holdPlaying() {
	if s := &r.progress.schedule; !s.synchronous() {
		r.store.holdAt(s.bound(&r.progress.state))
	}
}

// learn trains until the target is reached, or the context or the run's time
// ends. Once it is reached, only the next generation's checkpoint may say so: with
// this generation's, the run would continue to collect games. It reports false if there is
// nothing to publish.
func (r *Run) learn(ctx context.Context) (learned bool, err error) {
	var mean learn.Losses
	for r.progress.state.Samples < r.progress.state.Target && ctx.Err() == nil {
		if err := r.store.discard(); err != nil {
			return false, err
		}
		done, s := r.progress.done(), &r.progress.state
		learned := s.Samples > s.From && !s.growing()
		if done >= 1 && !learned {
			return false, nil // a longer run continues here
		}
		if done >= 1 || !r.store.canLearn() {
			r.progress.set(func(s *state) { s.owe(0) })
			return learned, nil
		}
		losses, err := r.training.train(r.store.windows.Train, s.Step, r.progress.schedule.rate(s, done))
		if err != nil {
			return false, err
		}
		mean.Add(losses)
		now := slices.Clone(mean)
		r.progress.set(func(s *state) {
			s.Step++
			s.Samples += int64(r.training.BatchSize())
			r.progress.last = now
		})
		e := &observe.Learned{Step: s.Step, Losses: now, Window: s.window()}
		if r.store.Room() == 0 {
			e.Waits = s.trained()
		}
		r.reports.observe(e)
		if r.progress.state.Samples < r.progress.state.Target {
			if err := r.training.saveIfDue(); err != nil {
				return false, err
			}
		}
	}
	return true, nil
}

// startPlaying starts self-play in the background. In synchronous mode, or if the
// run is already finished, it starts nothing.
func (r *Run) startPlaying(ctx context.Context) *player {
	if r.progress.schedule.synchronous() || r.Finished() {
		return nobody()
	}
	r.holdPlaying()
	return r.selfPlay.start(ctx)
}

// withLearner calls f, and again after each loss of the learner's device if there is another one.
func (r *Run) withLearner(f func() error) error {
	for {
		err := f()
		if !errors.Is(err, learn.ErrLost) {
			return err
		}
		if err := r.moveLearner(err); err != nil {
			return err
		}
	}
}

// moveLearner goes back to the newest checkpoint on another device, after the learner's has been lost.
func (r *Run) moveLearner(lost error) error {
	if err := r.training.move(lost); err != nil {
		return err
	}
	return r.publisher.restore()
}
