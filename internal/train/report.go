package train

import (
	"math"
	"runtime"
	"strings"
	"time"

	"warren/game"
	"warren/internal/learn"
	"warren/internal/metrics"
	"warren/internal/observe"
	"warren/internal/recipe"
)

// Finished reports whether the run has reached its end.
func (r *Run) Finished() bool { return r.Progress() >= 1 }

// Progress returns the fraction of the run that is done, from 0 to 1. It is
// measured in time or in generations, whichever is further.
func (r *Run) Progress() float64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	done := 0.0
	if n := r.config.Loop.Generations; n > 0 {
		done = (float64(r.state.Generation) + r.state.trained()) / float64(n)
	}
	if d := r.config.Loop.Duration; d > 0 {
		done = max(done, float64(r.elapsed())/float64(d))
	}
	return min(1, done)
}

// addEnded reports how games ended: their mean length, the share of the decided ones
// that Gold won, and the share of each reason.
func addEnded(add func(name string, v float64), series string, e observe.Ended) {
	games := float64(e.Games)
	add(series+"/turns", float64(e.Turns)/games)
	add(series+"/gold_wins", float64(e.Wins[game.Gold])/float64(e.Decided())) // a game without a result favours nobody
	for reason := range game.Reason(game.NumReasons) {
		if n := e.Reasons[reason]; n > 0 {
			name := reason.String()
			if reason == game.Ongoing {
				name = "no_result"
			}
			add(series+"/end_"+strings.ReplaceAll(name, " ", "_"), float64(n)/games)
		}
	}
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
}

// addSearches reports what the searches decided. A mean over nothing is left out.
func addSearches(add func(name string, v float64), t observe.SearchTotals) {
	add("search/full", float64(t.Full)/float64(t.Searched))
	add("search/target_entropy", t.TargetEntropy/float64(t.Targets))
	add("search/prior_entropy", t.PriorEntropy/float64(t.Priors))
	add("search/passes", float64(t.Passes)/float64(t.Turns))
	add("games/early_captures", float64(t.Captures)/float64(t.Games))
}

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
	if r.state.Step > 0 && r.state.Generation > last {
		if err := r.report(); err != nil {
			return err
		}
	}
	r.reported.time = time.Now()
	return nil
}

// report adds the newest generation's point to the series. The series openings/ cover the
// games from a random opening, and games/ the rest.
func (r *Run) report() error {
	var held learn.Losses
	if r.config.Learner.HeldOut > 0 && r.windows.HeldOut.Positions() > 0 {
		var err error
		if held, err = r.learner.measure(r.windows.HeldOut); err != nil {
			return err // without a trace, because the report is made again if the device was lost
		}
	}
	var known []metrics.Value // of the probe positions
	err := r.withDevice(func() error {
		newest, err := r.newest()
		if err == nil {
			known, err = sense(newest)
		}
		return err
	})
	if err != nil {
		return err // also without a trace
	}
	now := mark{time.Now(), r.counts.Totals(), r.searches.Totals(), r.waits, r.store.Held()}
	since := r.reported
	r.reported = now
	all, opened := now.totals.Ended.Less(since.totals.Ended), now.totals.Openings.Less(since.totals.Openings)
	seconds := now.time.Sub(since.time).Seconds()
	if since.time.IsZero() { // the time was an earlier process's
		seconds = math.NaN()
	}
	perSecond := func(after, before uint64) float64 { return float64(after-before) / seconds }

	saved := r.store.Saved()
	p := metrics.Point{Step: int64(r.state.Generation), Time: now.time}
	add := func(name string, v float64) {
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			p.Values = append(p.Values, metrics.Value{Name: name, Value: v})
		}
	}
	addLosses := func(series string, losses learn.Losses) {
		for _, l := range losses {
			add(series+"/"+l.Head, losses.Of(l.Head))
		}
	}
	addLosses("loss", r.last)
	addLosses("held_out", held)
	add("speed/games", perSecond(now.totals.Games, since.totals.Games))
	add("speed/positions", perSecond(now.totals.Positions, since.totals.Positions))
	if r.elsewhere == nil { // other machines tell only of games
		add("speed/evaluations", perSecond(now.totals.Evaluations, since.totals.Evaluations))
	}
	addEnded(add, "games", all.Less(opened))
	addEnded(add, "openings", opened)
	addSearches(add, now.searches.Less(since.searches))
	add("wait/learner_for_games", (now.waits.games-since.waits.games).Seconds()/seconds)
	add("wait/learner_for_matches", (now.waits.matches-since.waits.matches).Seconds()/seconds)
	if r.config.Loop.Mode != recipe.Sync {
		add("wait/self_play", (now.held-since.held).Seconds()/seconds)
	}
	for _, v := range known {
		add(v.Name, v.Value)
	}
	add("total/games", float64(saved.Games))
	add("total/positions", float64(saved.Positions))
	add("total/samples", float64(r.state.Samples))
	add("total/steps", float64(r.state.Step))
	add("total/minutes", r.elapsed().Minutes())
	add("learner/rate", r.config.Learner.Rate.At(r.state.Step, r.Progress()))
	add("window/positions", float64(r.windows.Train.Positions()))
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	add("memory/heap_mb", float64(memory.HeapInuse)/1e6)
	add("memory/system_mb", float64(memory.Sys)/1e6)
	return r.measured(p)
}
