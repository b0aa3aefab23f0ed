package metrics

import "time"

// A Rate measures the speed of a growing total over a sliding window of time. It is not
// safe for concurrent use.
type Rate struct {
	window  time.Duration
	samples []sample // in order of time; at most about rateSamples of them
}

type sample struct {
	time  time.Time
	total float64
}

const rateSamples = 50

// NewRate returns a rate over the last window of time, or since the first total if that
// is more recent.
func NewRate(window time.Duration) *Rate { return &Rate{window: window} }

// Add records the total at the time now. If the total or the time is less than before,
// the rate starts again from this total.
func (r *Rate) Add(now time.Time, total float64) {
	n := len(r.samples)
	if n > 0 && (total < r.samples[n-1].total || now.Before(r.samples[n-1].time)) {
		r.samples, n = r.samples[:0], 0
	}
	if n >= 2 && now.Sub(r.samples[n-2].time) < r.window/rateSamples {
		r.samples[n-1] = sample{now, total}
	} else {
		r.samples = append(r.samples, sample{now, total})
	}
	// Keep the last sample outside the window, so that the samples span the window.
	old := 0
	for old+1 < len(r.samples) && now.Sub(r.samples[old+1].time) >= r.window {
		old++
	}
	r.samples = append(r.samples[:0], r.samples[old:]...)
}

// PerSecond returns the growth of the total per second over the window, or 0 while it
// is unknown.
func (r *Rate) PerSecond() float64 {
	if len(r.samples) < 2 {
		return 0
	}
	first, last := r.samples[0], r.samples[len(r.samples)-1]
	elapsed := last.time.Sub(first.time).Seconds()
	if elapsed <= 0 {
		return 0
	}
	return (last.total - first.total) / elapsed
}

// Left returns the time that the total takes to grow to goal at this rate. If the rate
// is 0 or the time exceeds 1000 days, ok is false.
func (r *Rate) Left(goal float64) (left time.Duration, ok bool) {
	speed := r.PerSecond()
	if !(speed > 0) {
		return 0, false
	}
	seconds := max(0, goal-r.samples[len(r.samples)-1].total) / speed
	if !(seconds < (1000 * 24 * time.Hour).Seconds()) {
		return 0, false // hardly any growth
	}
	return time.Duration(seconds * float64(time.Second)), true
}
