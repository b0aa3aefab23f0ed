package train

import (
	"context"
	"sync"
	"time"

	"warren/internal/learn"
	"warren/internal/recipe"
)

// progress is how far a run is: its counters and its time. One goroutine changes and reads them; any
// other may ask how much is done.
type progress struct {
	schedule schedule
	clock    func() time.Duration // as loop.clock says
	began    time.Duration        // reading of clock at which Elapsed was 0

	mu    sync.Mutex // guards state and pace
	state state
	pace  pace
	last  learn.Losses // mean of the newest generation's training, until it is reported
}

func newProgress(stages []recipe.Stage) *progress { return &progress{schedule: newSchedule(stages)} }

// start lets the time of the run continue from the newest checkpoint.
func (p *progress) start(clock func() time.Duration) {
	p.clock, p.began = clock, clock()-p.state.Elapsed
	p.pace = newPace()
}

// keepTime reads the clocks every second until the context ends, as [wallClock] requires.
func (p *progress) keepTime(ctx context.Context) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			p.elapsed()
			p.pace.clock()
		}
	}
}

func (p *progress) elapsed() time.Duration { return p.clock() - p.began }

// done returns the fraction of the run that is done, from 0 to 1.
func (p *progress) done() float64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.schedule.done(&p.state, p.elapsed())
}

// left estimates the time left if the run ends by its generations. It is below 0 if that is not known, and 0 if the run
// ends by its duration or has only a match left, whose growth tells it.
func (p *progress) left() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := &p.schedule
	if done := s.done(&p.state, p.elapsed()); s.loop.Generations == 0 || done == 1 || done > s.generations(&p.state) {
		return 0
	}
	return p.pace.left(s.loop.Generations - (p.state.Generation - p.state.Start))
}

// reached returns the settings whose limits the run has reached.
func (p *progress) reached() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.schedule.reached(&p.state, p.elapsed())
}

// set changes the counters.
func (p *progress) set(change func(*state)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change(&p.state)
}
