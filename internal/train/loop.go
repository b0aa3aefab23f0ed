package train

import (
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"warren/internal/eval"
	"warren/internal/learn"
	"warren/internal/observe"
	"warren/internal/recipe"
	"warren/internal/selfplay"
)

// Train works on the run until it is finished or the context ends, and saves
// everything in both cases. The end of the context is not an error.
func (r *Run) Train(ctx context.Context) (err error) {
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
			err = errors.Join(err, r.checkpoint())
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
	if err := player.stop(); err != nil {
		return err
	}
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
	defer func() { r.waits.matches += time.Since(began) }()
	if err := r.withDevice(func() error { return r.gate(ctx) }); err != nil || ctx.Err() != nil {
		return err
	}
	return r.withDevice(func() error { return r.measure(ctx) })
}

// generation brings the run from one network to the next.
func (r *Run) generation(ctx context.Context, player *player) error {
	if r.state.Samples >= r.state.Target {
		began := time.Now()
		enough, err := r.collect(ctx, player)
		r.waits.games += time.Since(began)
		if err != nil || !enough {
			return err
		}
	}
	if err := r.learn(ctx); err != nil || r.state.Samples < r.state.Target {
		return err
	}
	next := int(r.store.Saved().Next)
	r.setState(func(s *state) {
		// With earlier settings there may be games beyond this generation's.
		s.First = max(s.First+r.config.Loop.Games(s.Generation), next)
		s.Generation++
	})
	r.candidate()
	// The checkpoint comes first: after a kill in between, the same network is
	// published again. No other may be in its place then.
	if err := r.dir.removeNetwork(r.state.Generation); err != nil {
		return err
	}
	if err := r.checkpoint(); err != nil {
		return err
	}
	err := r.publish()
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
// first.
func (r *Run) collect(ctx context.Context, player *player) (enough bool, err error) {
	if r.config.Loop.Mode == recipe.Sync {
		job := r.job(r.state.First, r.config.Loop.Games(r.state.Generation))
		err := r.saving(ctx, func(ctx context.Context) error { return play(ctx, r, job) })
		if err != nil || ctx.Err() != nil {
			return false, err
		}
	} else if enough, err := r.await(ctx, player, r.state.Games+r.config.Loop.Games(r.state.Generation)); err != nil || !enough {
		return false, err
	}
	if err := r.store.writer.Flush(); err != nil {
		return false, err
	}
	if err := r.discard(); err != nil {
		return false, err
	}
	saved := r.store.Saved()
	r.setState(func(s *state) {
		s.From = s.Samples
		if r.canLearn() {
			s.Target += int64(math.Round(r.config.Loop.ReplayRatio * float64(saved.Positions-s.Positions)))
			s.Positions = saved.Positions
		}
		s.Games = saved.Games
	})
	if !r.canLearn() {
		r.log.Warn("nothing to learn from yet: the games so far have fewer positions than one minibatch",
			"positions", r.windows.Train.Positions(), "learner.batch", r.config.Learner.Batch)
	}
	r.holdPlaying()
	return true, nil
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
		if err := r.saveIfDue(); err != nil {
			return false, err
		}
	}
	return true, nil
}

// holdPlaying sets the number of games at which self-play must wait for the
// learner. Generation 0 plays its own games and at most one more for each worker: they
// are the weakest, and cost almost nothing. In synchronous mode there is no limit to set.
func (r *Run) holdPlaying() {
	if r.config.Loop.Mode == recipe.Sync {
		return
	}
	if r.state.Generation == 0 {
		games := r.state.Games
		if r.state.Samples >= r.state.Target { // collect waits for as many; earlier ones may be lost
			games += r.config.Loop.BootstrapGames
		}
		r.store.holdAt(games)
		return
	}
	r.store.holdAt(r.state.Games + int(math.Ceil(r.config.Loop.MaxLead*float64(r.config.Loop.GamesPerGeneration))))
}

// saveEvery limits the training that a kill can undo, and the time of the run that
// it can give back.
const saveEvery = time.Minute

// saveIfDue makes a checkpoint if the newest is older than saveEvery.
func (r *Run) saveIfDue() error {
	if time.Since(r.saved) < saveEvery {
		return nil
	}
	return r.checkpoint()
}

// saving calls f, which plays games, and makes checkpoints in the meantime, so that
// its time counts after a kill. f must not use the learner or change the state.
func (r *Run) saving(ctx context.Context, f func(context.Context) error) error {
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
		if err := r.saveIfDue(); err != nil {
			cancel()
			<-done // its error says only that it was stopped
			return err
		}
	}
}

// learn trains until the target is reached, or the context or the run's time
// ends. Once it is reached, only the next generation's checkpoint may say so: with
// this generation's, the run would go on to collect games.
func (r *Run) learn(ctx context.Context) error {
	var mean learn.Losses
	for r.state.Samples < r.state.Target && ctx.Err() == nil {
		if err := r.discard(); err != nil {
			return err
		}
		done := r.Progress()
		if done >= 1 || !r.canLearn() {
			r.setState(func(s *state) { s.Target = s.Samples })
			break
		}
		losses, err := r.learner.train(r.windows.Train, r.state.Step, r.config.Learner.Rate.At(r.state.Step, done))
		if err != nil {
			return err
		}
		mean.Add(losses)
		now := slices.Clone(mean)
		r.setState(func(s *state) {
			s.Step++
			s.Samples += int64(r.config.Learner.Batch)
			r.last = now
		})
		r.observer.Observe(&observe.Learnt{Step: r.state.Step, Losses: now})
		if r.state.Samples < r.state.Target {
			if err := r.saveIfDue(); err != nil {
				return err
			}
		}
	}
	return nil
}

// player runs self-play in the background.
type player struct {
	cancel context.CancelFunc
	done   chan struct{} // closed after err is set
	err    error
}

// startPlaying starts self-play in the background. In synchronous mode, or if the
// run is already finished, it starts nothing.
func (r *Run) startPlaying(ctx context.Context) *player {
	ctx, cancel := context.WithCancel(ctx)
	p := &player{cancel: cancel, done: make(chan struct{})}
	if r.config.Loop.Mode == recipe.Sync || r.Finished() {
		close(p.done)
		return p
	}
	r.holdPlaying()
	go func() {
		defer close(p.done)
		p.err = play(ctx, r, r.job(0, 0))
	}()
	return p
}

// stop ends self-play, waits for it and returns its error.
func (p *player) stop() error {
	p.cancel()
	<-p.done
	return p.err
}

// job returns the self-play of count games from number first on, without those
// that are saved already. A count of 0 means no limit.
func (r *Run) job(first, count int) selfplay.Job {
	return selfplay.Job{
		Config: r.config.SelfPlay, Search: r.config.Search,
		Run: r.dir.name, Seed: r.config.Seed, Settings: r.settings,
		First: uint64(first), Count: uint64(count), Done: r.index.Has, Lost: r.lost,
	}
}

// play is selfplay.Play, except that the end of the context is not an error.
func play(ctx context.Context, r *Run, job selfplay.Job) error {
	var err error
	if r.elsewhere == nil {
		err = selfplay.Play(ctx, job, r, r.store, r.observer)
	} else {
		err = r.elsewhere(ctx, job, r, r.store, r.observer)
	}
	if ctx.Err() != nil && errors.Is(err, context.Cause(ctx)) {
		return nil
	}
	return err
}
