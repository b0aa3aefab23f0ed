package train

import (
	"errors"
	"fmt"
	"time"

	"warren/internal/eval"
	"warren/internal/metrics"
	"warren/internal/observe"
)

// reports tells of a run: events to its observers, points to its series.
type reports struct {
	observer observe.Observer // nil before open
	series   *observe.Series  // on disk
	counts   observe.Counts
	searches observe.Searches

	waits    waits // of the learner
	reported mark  // the newest report
}

// waits is the time that the learner has not learned.
type waits struct {
	games   time.Duration // waiting for games
	matches time.Duration // while matches were played
}

// mark holds the time of a report and the totals at that time.
type mark struct {
	time     time.Time
	totals   observe.Totals
	searches observe.SearchTotals
	waits    waits
	held     time.Duration // time that self-play has waited for the learner
	device   string        // that evaluates
	busy     time.Duration // time for which it has had work
}

// open opens the series in a run's directory for appending. Every event goes to observer as well as to
// the series, first that of the newest network.
func (r *reports) open(dir *Dir, newest *observe.Published, observer observe.Observer) error {
	lines, err := metrics.OpenLines(dir.Metrics())
	if err != nil {
		return err
	}
	events, err := metrics.OpenEvents(dir.tensorBoard(), time.Now(), int64(newest.Generation)+1)
	if err != nil {
		return errors.Join(err, lines.Close())
	}
	r.series = observe.NewSeries(metrics.Tee(lines, events))
	r.observer = observe.Tee(&r.counts, &r.searches, r.series, observer)
	r.observe(newest)
	return nil
}

// observe tells the observers of an event. Before open there are none.
func (r *reports) observe(e observe.Event) {
	if r.observer != nil {
		r.observer.Observe(e)
	}
}

// measured adds a point to the series.
func (r *reports) measured(p metrics.Point) error {
	r.observe(&observe.Measured{Point: p})
	if err := r.series.Err(); err != nil {
		return fmt.Errorf("writing the series: %w", err)
	}
	return nil
}

// next returns the totals now and those of the report before, and begins the next report.
func (r *reports) next(held time.Duration, on eval.Attributes) (now, since mark) {
	now = mark{time.Now(), r.counts.Totals(), r.searches.Totals(), r.waits, held, "", on.Usage.Busy()}
	if on.Usage != nil {
		now.device = on.Device
	}
	since, r.reported = r.reported, now
	return now, since
}
