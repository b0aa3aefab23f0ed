package speed

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"warren/data"
	"warren/internal/eval"
	"warren/internal/metrics"
	"warren/internal/observe"
	"warren/internal/recipe"
	"warren/internal/selfplay"
)

// meter takes the measurements and prints them as tables.
type meter struct {
	ctx      context.Context
	time     time.Duration
	report   io.Writer
	progress *metrics.Progress

	done, total int
	stop        func() // stops showing the present measurement; nil if none is shown
}

// printf prints whole lines of the report, unless the context has ended: the measurement may then be cut off.
func (m *meter) printf(format string, args ...any) {
	if m.ctx.Err() == nil {
		fmt.Fprintf(m.progress.Above(m.report), format, args...)
	}
}

// next shows that a measurement begins. It reports false if the context has
// ended.
func (m *meter) next(title string) bool {
	m.rest()
	status := metrics.Status{Title: title, Done: float64(m.done), Total: float64(m.total)}
	m.stop = m.progress.Every(func() metrics.Status { return status })
	m.done++
	return m.ctx.Err() == nil
}

// rest stops showing the present measurement.
func (m *meter) rest() {
	if m.stop != nil {
		m.stop()
		m.stop = nil
	}
}

func columns[T any](format string, values []T) string {
	var b strings.Builder
	for _, v := range values {
		fmt.Fprintf(&b, format, v)
	}
	return b.String()
}

// nowhere discards games.
type nowhere struct{}

func (nowhere) Put(context.Context, *data.Record) error { return nil }

// job returns the games of a measurement, which is over after the first ones. The visits, which
// rise from game to game in a run, are at their end from the first game on.
func job(c recipe.Config) (selfplay.Job, error) {
	c.SelfPlay.Visits.Games = 0
	hash, err := recipe.HashOfGames(c.SelfPlay, c.Search)
	return selfplay.Job{Rules: selfplay.Rules{Config: c.SelfPlay, Search: c.Search, Settings: hash}, Run: "speed", Seed: 1}, err
}

// play runs self-play with a network for one measurement.
func (m *meter) play(c recipe.Config, network *eval.Network) (observe.Totals, time.Duration, error) {
	j, err := job(c)
	if err != nil {
		return observe.Totals{}, 0, err
	}
	ctx, cancel := context.WithTimeout(m.ctx, m.time)
	defer cancel()
	var counts observe.Counts
	start := time.Now()
	err = selfplay.Play(ctx, j, selfplay.Always{Network: network}, nowhere{}, &counts)
	if ctx.Err() != nil {
		err = nil
	}
	return counts.Totals(), time.Since(start), err
}

// perGame returns the evaluations of a game, with an evaluator that takes no time. Each core plays
// one game at a time. It begins games for one measurement and plays all of them to the end, because
// the evaluations of an unfinished game would count, and the game would not. With many visits a
// measurement is short for a game, and games differ, so there are at least a few.
func (m *meter) perGame(c recipe.Config) (float64, error) {
	c.SelfPlay.GamesPerWorker = 1
	j, err := job(c)
	if err != nil {
		return 0, err
	}
	begun, start := uint64(0), time.Now()
	j.Next = func() (number uint64, ok bool) {
		if begun >= fewestGames && time.Since(start) >= m.time {
			return 0, false
		}
		begun++
		return begun - 1, true
	}
	var counts observe.Counts
	err = selfplay.Play(m.ctx, j, selfplay.Always{Network: eval.Untrained()}, nowhere{}, &counts)
	if m.ctx.Err() != nil {
		err = nil
	}
	t := counts.Totals()
	return float64(t.Evaluations) / float64(t.Games), err
}

// fewestGames is the least number of games in which their evaluations are counted.
const fewestGames = 8

func (m *meter) searching(c recipe.Config) {
	c.SelfPlay.Workers, c.SelfPlay.Visits.Final, c.SelfPlay.FullFraction = 1, 800, 1
	if !m.next("searching") {
		return
	}
	t, d, err := m.play(c, eval.Untrained())
	if err == nil {
		m.printf("\nsearch on one core with an evaluator that takes no time: %.0f evaluations/s\n", float64(t.Evaluations)/d.Seconds())
	}
}
