package experiment

import (
	"errors"
	"io/fs"
	"math"
	"strconv"

	"warren/game"
	"warren/internal/metrics"
)

// Signs are early signs of how a run does in a stretch of its time, by name. What
// cannot be known there is absent.
type Signs map[string]float64

// The names of the signs, in the order of the report: of the games and of the
// learning.
var (
	gameSigns = []string{
		"games/s", "turns", "captures by turn 20", "decided %",
		"goal %", "elimination %", "immobilization %", "repetition %", "limit %", "no result %",
	}
	learningSigns = []string{
		"target entropy", "winner 1 before", "winner 2 before", "winner 4 before", "winner 8 before",
		"policy rows/game", "draws/row", "window age",
	}
)

// timeline is a run's counters over its time, which is in minutes.
type timeline struct {
	games, positions, samples *curve
	window                    *curve
	generation                int // of the newest network
}

// minutes returns the last time that is known.
func (t *timeline) minutes() float64 { return t.games.end() }

func readTimeline(path string) (*timeline, error) {
	points, err := metrics.ReadLines(path)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	if err != nil && len(points) == 0 {
		return nil, err
	}
	return newTimeline(points), nil
}

func newTimeline(points []metrics.Point) *timeline {
	minutes := metrics.Series(points, "total/minutes")
	series := func(name string) *curve {
		c := newCurve()
		for i, s := range metrics.Series(points, name) {
			if i < len(minutes) && minutes[i].Value > c.end() {
				c.add(minutes[i].Value, s.Value)
			}
		}
		return c
	}
	t := &timeline{games: series("total/games"), positions: series("total/positions"), samples: series("total/samples"), window: series("window/positions")}
	if n := len(minutes); n > 0 {
		t.generation = int(minutes[n-1].Step)
	}
	return t
}

// signs divides the budget into n stretches and returns the signs of each, up to
// now. A shard belongs where its middle game was saved, by the count of games. All
// times are in minutes.
func signs(t *timeline, shards []shardTally, heldOut, budget, now float64, n int) []Signs {
	sums := make([]tally, n)
	width := budget / float64(n)
	total := 0
	for i := range shards {
		s := &shards[i]
		middle := t.games.when(float64(total) + float64(s.Games)/2)
		total += s.Games
		bin := int(min(middle, now) / width)
		sums[max(0, min(bin, n-1))].add(&s.tally)
	}
	list := make([]Signs, n)
	for i := range sums {
		start, end := float64(i)*width, min(float64(i+1)*width, now)
		list[i] = sums[i].signs()
		if end <= start {
			continue
		}
		if end = min(end, t.samples.end()); end > start {
			list[i].learnt(t, heldOut, start, end)
		}
	}
	return list
}

// learnt adds the signs of a stretch that come from the counters.
func (s Signs) learnt(t *timeline, heldOut, start, end float64) {
	s["games/s"] = (t.games.at(end) - t.games.at(start)) / (60 * (end - start))
	if made := t.positions.at(end) - t.positions.at(start); made > 0 {
		s["draws/row"] = (t.samples.at(end) - t.samples.at(start)) / made
	}
	// The window holds the newest of those positions that are not held out.
	oldest := t.positions.at(end) - t.window.at(end)/(1-heldOut)
	s["window age"] = max(0, end-t.positions.when(max(0, oldest)))
}

// signs returns the signs that come from games.
func (t *tally) signs() Signs {
	s := Signs{}
	put := func(name string, sum, over float64) {
		if over > 0 && !math.IsNaN(sum) {
			s[name] = sum / over
		}
	}
	put("turns", float64(t.SetupTurns), float64(t.Setup))
	put("captures by turn 20", float64(t.Captures), float64(t.Setup))
	decided := 0
	for reason, n := range t.SetupReasons {
		if game.Reason(reason).OnBoard() {
			decided += n
		}
	}
	put("decided %", 100*float64(decided), float64(t.Setup))
	for name, reason := range map[string]game.Reason{
		"goal %": game.Goal, "elimination %": game.Elimination, "immobilization %": game.Immobilization,
		"repetition %": game.Repetition, "limit %": game.TurnLimit, "no result %": game.Ongoing,
	} {
		put(name, 100*float64(t.SetupReasons[reason]), float64(t.Setup))
	}
	put("target entropy", t.Entropy, t.Weight)
	put("policy rows/game", float64(t.PolicyRows), float64(t.Games))
	for i, distance := range ahead {
		put("winner "+strconv.Itoa(distance)+" before", t.WinnersValue[i], float64(t.WinnersCount[i]))
	}
	return s
}

// meanSigns returns the mean over runs of every sign of every stretch, over the runs
// that have it.
func meanSigns(runs [][]Signs) []Signs {
	if len(runs) == 0 {
		return nil
	}
	means := make([]Signs, len(runs[0]))
	for i := range means {
		means[i] = Signs{}
		number := map[string]int{}
		for _, run := range runs {
			for name, v := range run[i] {
				means[i][name] += v
				number[name]++
			}
		}
		for name, n := range number {
			means[i][name] /= float64(n)
		}
	}
	return means
}
