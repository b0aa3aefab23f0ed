package train

import (
	"math"
	"time"

	"warren/internal/learn"
	"warren/internal/metrics"
)

// reportMissing adds the newest generation's point to the series if an earlier process
// was killed between the checkpoint and the point. Losses, speeds and what the games were
// like were lost with it.
func (r *Run) reportMissing() error {
	points, _ := metrics.ReadLines(r.dir.Metrics()) // without those that are damaged
	reported := metrics.Series(points, "total/games")
	last := 0
	if n := len(reported); n > 0 {
		last = int(reported[n-1].Step)
	}
	if now := &r.progress.state; now.Step > 0 && now.Generation > last {
		if err := r.report(); err != nil {
			return err
		}
	}
	r.reports.reported.time = time.Now()
	return nil
}

// report adds the newest generation's point to the series. The series openings/ cover the
// games from a random opening, and games/ the rest.
func (r *Run) report() error {
	// A failure leaves no trace, because the report is made again if a device was lost.
	held, err := r.heldOut()
	if err != nil {
		return err
	}
	known, err := r.probes()
	if err != nil {
		return err
	}
	now, since := r.reports.next(r.store.Held(), r.networks.Latest().Attributes())
	seconds := now.time.Sub(since.time).Seconds()
	if since.time.IsZero() { // the time was an earlier process's
		seconds = math.NaN()
	}
	all, opened := now.totals.Ended.Less(since.totals.Ended), now.totals.Openings.Less(since.totals.Openings)
	p := point{metrics.Point{Step: int64(r.progress.state.Generation), Time: now.time}}
	p.losses("loss", r.progress.last)
	p.losses("held_out", held)
	p.speeds(now.totals, since.totals, seconds, r.selfPlay.elsewhere != nil)
	p.ended("games", all.Less(opened))
	p.ended("openings", opened)
	p.searches(now.searches.Less(since.searches))
	p.waits(now, since, seconds, r.progress.schedule.synchronous())
	p.device(now, since, seconds)
	limits := r.networks.saturation()
	if p.saturation(limits); limits.Warning() != "" {
		r.log.Warn(limits.Warning())
	}
	p.Values = append(p.Values, known...)
	r.addTotals(&p)
	p.memory()
	if err := r.reports.measured(p.Point); err != nil {
		return err
	}
	r.progress.set(func(*state) { r.progress.last = nil }) // the next generation may be trained on nothing
	return nil
}

// addTotals reports how far the run is.
func (r *Run) addTotals(p *point) {
	saved, now := r.store.Saved(), &r.progress.state
	p.add("total/games", float64(saved.Games))
	p.add("total/positions", float64(saved.Positions))
	p.add("total/samples", float64(now.Samples))
	p.add("total/steps", float64(now.Step))
	p.add("total/minutes", r.progress.elapsed().Minutes())
	p.add("learner/rate", r.progress.schedule.rate(now, r.progress.done()))
	if len(r.stages) > 1 {
		p.add("learner/stage", float64(now.Learner+1))
	}
	p.add("window/positions", float64(r.store.windows.Train.Positions()))
}

// heldOut returns the losses on held-out games, nothing if there are none.
func (r *Run) heldOut() (learn.Losses, error) {
	if window := r.store.windows.HeldOut; r.training.config.Learner.HeldOut > 0 && window.Positions() > 0 {
		return r.training.measure(window)
	}
	return nil, nil
}

// probes returns what the newest network says of the probe positions.
func (r *Run) probes() (known []metrics.Value, err error) {
	err = r.networks.retry(func() error {
		newest, err := r.publisher.newest()
		if err == nil {
			known, err = evaluateProbes(newest)
		}
		return err
	})
	return known, err
}
