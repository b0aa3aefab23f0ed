package metrics

import "time"

// A Rate is the speed of a growing total over a sliding window of time. It is
// for one goroutine at a time.
type Rate struct {
	window  time.Duration
	samples []sample // by time; at most about rateSamples of them
}

type sample struct {
	time  time.Time
	total float64
}

const rateSamples = 50

// NewRate returns a rate over the last window of time, or over what there is of it.
func NewRate(window time.Duration) *Rate { return &Rate{window: window} }

// Add tells the rate that the total is total now. A total or a time that falls
// begins anew: another count, or another clock.
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
	// The oldest sample kept is the last one outside the window, so that the
	// samples together span it.
	old := 0
	for old+1 < len(r.samples) && now.Sub(r.samples[old+1].time) >= r.window {
		old++
	}
	r.samples = append(r.samples[:0], r.samples[old:]...)
}

// PerSecond is the total's growth per second over the window, 0 while unknown.
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

// Left is how long the total takes to grow to goal at this rate, and whether
// that is known.
func (r *Rate) Left(goal float64) (left time.Duration, ok bool) {
	speed := r.PerSecond()
	if !(speed > 0) {
		return 0, false
	}
	seconds := max(0, goal-r.samples[len(r.samples)-1].total) / speed
	if !(seconds < (1000 * 24 * time.Hour).Seconds()) {
		return 0, false // as good as standing still
	}
	return time.Duration(seconds * float64(time.Second)), true
}
