package experiment

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"time"

	"warren/internal/durable"
	"warren/internal/metrics"
)

// Experiment is a plan that is being carried out in a directory.
type Experiment struct {
	plan     *Plan
	dir      dir
	program  Program
	cores    int
	log      *slog.Logger
	lock     io.Closer
	everyone []Contestant

	mu        sync.Mutex
	pending   []Run           // not begun by this process, in the order of work
	flying    map[Run]bool    // being trained
	reached   map[Run]float64 // how far those are that are not over
	failed    map[Run]error   // given up
	over      int             // number of runs that are over
	measured  int             // seeds that a measurement has begun for
	measuring bool            // whether one is in progress
	matches   map[string]news // newest of every moment
	playing   string          // of matches, the moment that news came from last
	stop      func()          // ends the measurement that is in progress
}

// Open begins the experiment in the directory at path, or continues with it, on
// the given number of cores; 0 means all. Close it when done.
func Open(path string, plan Plan, program Program, cores int, log *slog.Logger) (*Experiment, error) {
	first := plan.From
	if dir(path).sameRun(&plan) {
		first = dir(path).first() // the run's network may have grown since
	}
	if err := plan.validate(first); err != nil {
		return nil, err
	}
	if cores == 0 {
		cores = runtime.GOMAXPROCS(0)
	}
	references, err := plan.references()
	if err != nil {
		return nil, err
	}
	for _, e := range references {
		if err := e.Startable(); err != nil {
			return nil, fmt.Errorf("a reference player: %w", err)
		}
	}
	d := dir(path)
	x := &Experiment{
		plan: &plan, dir: d, program: program, cores: cores, log: log, everyone: plan.contestants(references),
		flying: map[Run]bool{}, reached: map[Run]float64{}, failed: map[Run]error{}, matches: map[string]news{}, stop: func() {},
	}
	if err := d.fresh(); err != nil {
		return nil, err
	}
	lock, err := durable.LockDir(path,
		fmt.Sprintf("the experiment %s is being worked on by another process: wait for it, stop it, or choose another --out", path))
	if err != nil {
		return nil, err
	}
	x.lock = lock
	if err := errors.Join(d.begin(x.plan), x.restore()); err != nil {
		lock.Close()
		return nil, err
	}
	for _, v := range plan.Variants {
		for _, line := range v.brief {
			log.Warn("variant " + v.Name + ": " + line)
		}
	}
	return x, nil
}

// restore finds out which runs are still to be worked on, how far they are and which matches have been played. What
// cannot be read of the latter two is left out: the report says why.
func (x *Experiment) restore() error {
	for _, r := range x.plan.runs() {
		over, err := x.dir.over(r)
		if err != nil {
			return err
		}
		if over {
			x.over++
		} else {
			x.pending = append(x.pending, r)
			s, _ := x.dir.runState(r, x.plan, nil)
			x.reached[r] = s.Done
		}
	}
	for _, at := range x.plan.moments() {
		played, _ := readResults(x.dir.matches(at))
		if n := played.games(); n > 0 {
			x.matches[matchesAt(at)] = news{What: matchesAt(at), Games: n}
		}
	}
	return nil
}

// Close releases the directory.
func (x *Experiment) Close() error { return x.lock.Close() }

// reportEvery is how often the report is rewritten.
const reportEvery = time.Minute

// Run works on the experiment until it is complete or the context ends, and reports which. The
// error names the runs that failed; the others are then complete and measured.
func (x *Experiment) Run(ctx context.Context) (complete bool, err error) {
	rewrite := func() {
		if err := x.Report(); err != nil {
			x.log.Warn("the report could not be written", "error", err)
		}
	}
	rewrite()
	stop := metrics.Every(reportEvery, rewrite)
	var group sync.WaitGroup
	for range x.cores {
		group.Go(func() {
			for job := x.next(ctx); job != nil; job = x.next(ctx) {
				job()
			}
		})
	}
	group.Wait()
	if ctx.Err() == nil {
		err = x.measure(ctx, x.cores)
	}
	complete = ctx.Err() == nil
	stop()
	return complete, errors.Join(err, x.failures(), x.Report())
}

// next returns the next job for a core, or nil if nothing is left. Matches
// between finished runs come first, so that there are early results.
func (x *Experiment) next(ctx context.Context) (job func()) {
	x.mu.Lock()
	defer x.mu.Unlock()
	training := len(x.pending) + len(x.flying)
	switch complete := x.complete(); {
	case ctx.Err() != nil || training == 0:
		return nil
	case complete > x.measured && !x.measuring:
		x.measured, x.measuring = complete, true
		ctx, cancel := context.WithCancel(ctx)
		x.stop = cancel
		return func() {
			if err := x.measure(ctx, 1); err != nil {
				x.log.Warn("a measurement failed; it is tried again at the end", "error", err)
			}
			cancel()
			x.mu.Lock()
			defer x.mu.Unlock()
			x.measuring = false
		}
	case len(x.pending) == 0:
		return nil
	}
	r := x.pending[0]
	x.pending = x.pending[1:]
	x.flying[r] = true
	return func() { x.train(ctx, r) }
}

// complete returns the number of seeds whose runs are all over.
func (x *Experiment) complete() int {
	open := slices.Clone(x.pending)
	for r := range x.flying {
		open = append(open, r)
	}
	least := x.plan.Seeds + 1
	for _, r := range open {
		least = min(least, r.Seed)
	}
	return least - 1
}

// train works on one run.
func (x *Experiment) train(ctx context.Context, r Run) {
	x.log.Info("training", "run", r.String())
	err := x.program.work(ctx, 1, x.dir.log(r.String()), func(n news) {
		x.mu.Lock()
		defer x.mu.Unlock()
		x.reached[r] = n.Done
	}, workTrain, string(x.dir), r.Variant, strconv.Itoa(r.Seed))
	if err == nil && ctx.Err() == nil {
		var over bool
		if over, err = x.dir.over(r); err == nil && !over {
			err = errors.New("it was stopped by someone else")
		}
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	delete(x.flying, r)
	if err != nil {
		x.failed[r] = err
		delete(x.reached, r)
		x.log.Warn("a run failed; the others continue", "run", r.String(), "error", err)
	} else if ctx.Err() == nil {
		x.over++
		delete(x.reached, r)
		x.log.Info("trained", "run", r.String())
	}
	if len(x.pending)+len(x.flying) == 0 {
		x.stop() // to continue with all cores
	}
}

// measure plays the matches that can be played.
func (x *Experiment) measure(ctx context.Context, workers int) error {
	return x.program.work(ctx, workers, x.dir.log("matches"), func(n news) {
		x.mu.Lock()
		defer x.mu.Unlock()
		x.matches[n.What], x.playing = n, n.What
	}, workMeasure, string(x.dir), strconv.Itoa(workers))
}

// failures returns an error that names the runs that failed.
func (x *Experiment) failures() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	var errs []error
	for _, r := range x.plan.runs() {
		if err := x.failed[r]; err != nil {
			errs = append(errs, fmt.Errorf("the run %s failed (%w); the same command tries it again", r, err))
		}
	}
	return errors.Join(errs...)
}

// Report brings report.md and report.json up to date.
func (x *Experiment) Report() error {
	r, err := newReport(x.dir, x.plan, x.everyone, x.now(), time.Now())
	if err != nil {
		return err
	}
	return r.save(x.dir)
}

// now returns how far each run in training has got.
func (x *Experiment) now() map[Run]state {
	x.mu.Lock()
	defer x.mu.Unlock()
	states := map[Run]state{}
	for r := range x.flying {
		states[r] = state{"training", x.reached[r]}
	}
	for r := range x.failed {
		states[r] = state{"failed", 0}
	}
	return states
}

// cost is the assumed cost of a game of a match, in seconds on one core. A 3x32
// network of quick takes 0.35 (AMD EPYC with AVX-512). It is not adjusted to
// the time that games turn out to take: the time left is estimated from the
// rate of progress.
const cost = 0.5

// Status says how far the experiment has got, in seconds on one core.
func (x *Experiment) Status() metrics.Status {
	x.mu.Lock()
	defer x.mu.Unlock()
	all, budget := len(x.plan.runs()), x.plan.Budget.Seconds()
	trained := float64(x.over + len(x.failed))
	for _, done := range x.reached {
		trained += done
	}
	games := 0
	for _, n := range x.matches {
		games += n.Games
	}
	s := metrics.Status{
		Title: fmt.Sprintf("%d of %d runs trained", x.over, all),
		Done:  trained*budget + float64(games)*cost,
		Total: float64(all)*budget + float64(x.plan.matches())*cost,
	}
	if playing := x.matches[x.playing]; playing.Total > 0 {
		s.Title += fmt.Sprintf(", %s: %d of %d games", playing.What, playing.Games, playing.Total)
	}
	return s
}

// matches returns how many games of matches the plan has. Those of two players are rounded
// up to whole pairs.
func (p *Plan) matches() int {
	v, s, n := len(p.Variants), p.Seeds, len(p.References)
	whole := func(games int) int { return games + games%2 }
	end := (v*(v-1)/2*s*s+n*(n-1)/2)*whole(p.Games) + v*s*n*whole(p.referenceGames())
	each := v*(v-1)/2*s + v*s*n
	return end + len(p.Milestones)*each*whole(p.MilestoneGames)
}
