package train

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"warren/internal/eval"
	"warren/internal/eval/device"
	learning "warren/internal/learn/device"
	"warren/internal/metrics"
	"warren/internal/observe"
	"warren/internal/recipe"
	"warren/internal/selfplay"
)

// Run is a training run that this process works on. It joins the parts of a run, each of which has a file
// of its own.
type Run struct {
	config recipe.Config
	stages []recipe.Stage // the first has the settings above
	dir    *Dir
	log    *slog.Logger

	progress  *progress  // how far it is
	store     *Store     // games
	training  *training  // the learner and its checkpoints
	networks  *networks  // those that play
	publisher *publisher // from the learner to those that play
	selfPlay  *selfPlay
	matches   *matches // of measurements and of the gatekeeper
	reports   *reports
}

// Open starts or continues the run in dir. Every event of the run goes to
// observer as well as to the run's own series. Problems and resumptions are
// logged. While the games are read, shown says how far that is, unless it is nil; at the end
// of the context Open returns its error. Close the run when done.
func Open(ctx context.Context, dir *Dir, config recipe.Config, observer observe.Observer, shown *metrics.Progress, log *slog.Logger) (*Run, error) {
	if err := config.Validate(); err != nil {
		return nil, err
	}
	before, err := dir.begun(log)
	if err != nil {
		return nil, err
	}
	stages, err := config.StageList()
	if err != nil {
		return nil, err
	}
	settleDevice(stages, before, log)
	r := &Run{config: stages[0].Config, stages: stages, dir: dir, log: log}
	rules, err := rulesOf(r.stages)
	if err != nil {
		return nil, err
	}
	r.join(rules)
	if err := r.restore(ctx, before, shown); err != nil {
		return nil, err
	}
	if err := r.reports.open(dir, r.publisher.published(), observer); err != nil {
		return nil, err
	}
	r.selfPlay.observer = r.reports.observer
	r.training.saved = time.Now()
	return r, nil
}

// join makes the parts of the run, which are not restored yet. The rules are those of the games of each stage.
func (r *Run) join(rules []selfplay.Rules) {
	c := &r.config
	r.reports = &reports{}
	r.progress = newProgress(r.stages)
	r.training = &training{stages: r.stages, dir: r.dir, trainers: learning.Choose(c.Learner.Device, r.log), progress: r.progress, log: r.log}
	r.networks = &networks{dir: r.dir, devices: device.Choose(c.Device, r.log)}
	r.publisher = &publisher{
		dir: r.dir, rules: rules, keeper: c.Match.Gatekeeper.Games > 0,
		progress: r.progress, training: r.training, networks: r.networks, reports: r.reports, log: r.log,
	}
	r.selfPlay = &selfPlay{config: c, rules: rules, dir: r.dir, networks: r.networks}
	r.matches = &matches{config: c, dir: r.dir, training: r.training, reports: r.reports, log: r.log}
}

// restore brings the parts to where the run's directory is. The process before had other settings, or none.
func (r *Run) restore(ctx context.Context, before *recipe.Config, shown *metrics.Progress) error {
	saved, tensors, err := r.dir.loadCheckpoint(r.log)
	if err != nil {
		return err
	}
	if err := r.dir.accept(r.stages, before, &saved); err != nil {
		return err
	}
	if err := r.training.restore(saved, tensors); err != nil {
		return err
	}
	now := &r.progress.state
	moved := now.Moved
	if r.store, err = restoreGames(ctx, r.dir, &r.stages[now.Learner].Config, r.progress, before == nil, shown, r.log); err != nil {
		return err
	}
	r.training.store, r.selfPlay.store = r.store, r.store
	if err := r.dir.settleName(r.store.index, r.log); err != nil {
		return err
	}
	r.progress.reconcile(r.store)
	r.progress.start(newClock(r.config.Loop.Clock))
	// All that can fail without a fault of the disk has succeeded.
	if now.Moved != moved || before == nil && now.Lowest > 0 { // save it before there are new games
		if err := r.training.checkpoint(); err != nil {
			return err
		}
	}
	if err := r.dir.saveSettings(&r.config); err != nil {
		return err
	}
	if err := r.publisher.restore(); err != nil {
		return err
	}
	if games := r.store.index.Games; before != nil && (now.Generation > 0 || games > 0) {
		where := []any{"generation", now.Generation, "games", games, "steps", now.Step, "elapsed", now.Elapsed.Round(time.Second)}
		if n := len(r.stages); n > 1 {
			where = append(where, "stage", now.Stage+1, "of", n)
		}
		r.log.Info("continuing with the run", where...)
		r.reportDuration(before)
		r.reportGrowth()
	} else if games > 0 {
		r.log.Info("the run begins with the games that are there", "games", games)
	}
	return nil
}

// reportDuration says in the log what another duration than before does to the learning rate.
func (r *Run) reportDuration(before *recipe.Config) {
	if before.Loop.Duration == r.config.Loop.Duration {
		return
	}
	now, present := &r.progress.state, &r.progress.schedule
	stages, err := before.StageList()
	if err != nil || now.Learner >= len(stages) {
		return
	}
	past := newSchedule(stages)
	was, is := past.done(now, now.Elapsed), present.done(now, now.Elapsed)
	old, done := fmt.Sprintf("%.0f%%", 100*was), fmt.Sprintf("%.0f%%", 100*is)
	if old == done {
		return
	}
	r.log.Info(fmt.Sprintf("loop.duration was %v and is %v: the run is %s done instead of %s, and its learning rate is %.2g instead of %.2g",
		before.Loop.Duration, r.config.Loop.Duration, done, old, present.rate(now, is), past.rate(now, was)))
}

// Latest returns the network that new games play with.
func (r *Run) Latest() *eval.Network { return r.networks.Latest() }

// Finished reports whether the run has reached its end.
func (r *Run) Finished() bool { return r.progress.done() >= 1 }

// Complete reports whether the run has reached its end and nothing is left of it: its newest network has been tested, and
// rated unless it has no opponent.
func (r *Run) Complete() bool {
	measured := !r.progress.schedule.measures(r.progress.state.Generation, true) || r.matches.done(r.Latest())
	return r.Finished() && !r.progress.state.Untested && measured
}

// Reached returns the settings that have ended the run, such as loop.duration. To continue, raise them.
func (r *Run) Reached() []string { return r.progress.reached() }

// Progress returns the fraction of the run that is done, from 0 to 1. It is
// measured in time or in generations, whichever is further.
func (r *Run) Progress() float64 { return r.progress.done() }

// Left estimates the time left, as [metrics.Status] has it.
func (r *Run) Left() time.Duration { return r.progress.left() }

// Close releases the run's resources. It saves nothing; Train has done that.
func (r *Run) Close() error { return errors.Join(r.training.close(), r.reports.series.Close()) }
