package train

import (
	"log/slog"
	"math"
	"path/filepath"
	"testing"
	"time"

	"warren/data"
	"warren/game"
	"warren/internal/learn"
	"warren/internal/metrics"
	"warren/internal/observe"
	"warren/internal/recipe"
)

// A game without a result counts in the length and among the ends, but not as one that a side has failed to win.
func TestShareOfWinsIsOfDecidedGames(t *testing.T) {
	var e observe.Ended
	e.Games, e.Turns = 10, 500
	e.Wins[game.Gold], e.Wins[game.Silver] = 3, 1
	e.Reasons[game.Goal], e.Reasons[game.Ongoing] = 4, 6
	got := map[string]float64{}
	p := &point{}
	p.ended("games", e)
	for _, v := range p.Values {
		got[v.Name] = v.Value
	}
	for name, want := range map[string]float64{
		"games/turns": 50, "games/gold_wins": 0.75, "games/end_goal": 0.4, "games/end_no_result": 0.6,
	} {
		if got[name] != want {
			t.Errorf("%s is %g, want %g", name, got[name], want)
		}
	}
	p = &point{}
	if p.ended("none", observe.Ended{}); len(p.Values) > 0 {
		t.Errorf("of no games there is %v", p.Values)
	}
}

// Speeds and waits are of the time since the point before.
func TestRatesAreOfAPeriod(t *testing.T) {
	p := &point{}
	p.speeds(observe.Totals{Evaluations: 900, Positions: 80, Ended: observe.Ended{Games: 7}},
		observe.Totals{Evaluations: 300, Positions: 20, Ended: observe.Ended{Games: 1}}, 60, false)
	p.waits(mark{waits: waits{50 * time.Second, 20 * time.Second}, held: 10 * time.Second},
		mark{waits: waits{20 * time.Second, 5 * time.Second}, held: 4 * time.Second}, 60, false)
	for name, want := range map[string]float64{
		"speed/games": 0.1, "speed/positions": 1, "speed/evaluations": 10,
		"wait/learner_for_games": 0.5, "wait/learner_for_matches": 0.25, "wait/self_play": 0.1,
	} {
		if got, _ := p.Value(name); got != want {
			t.Errorf("%s is %g, want %g", name, got, want)
		}
	}
}

// The losses of a generation are in its point alone, also if the next is trained on nothing. Games from a random
// opening have series of their own.
func TestPointIsOfOneGeneration(t *testing.T) {
	t.Parallel()
	run := open(t, filepath.Join(t.TempDir(), "run"), tiny(recipe.Sync), observe.Nobody, slog.New(slog.DiscardHandler))
	defer shut(t, run)
	run.progress.last = learn.Losses{{Head: "value", Mean: 1, Weight: 1}}
	run.progress.began = run.progress.clock() - 90*time.Minute
	for opening, turns := range []int32{60, 20} {
		run.reports.observe(&observe.GameEnded{Record: &data.Record{Opening: int32(opening), Turns: turns}})
	}
	for generation := 1; generation <= 2; generation++ {
		run.progress.set(func(s *state) { s.Generation = generation })
		if err := run.report(); err != nil {
			t.Fatal(err)
		}
	}
	points, err := metrics.ReadLines(run.dir.Metrics())
	if err != nil || len(points) != 2 {
		t.Fatal(points, err)
	}
	for i, want := range []bool{true, false} {
		if _, ok := points[i].Value("loss/value"); ok != want {
			t.Errorf("point %d has a loss: %t, want %t", i+1, ok, want)
		}
	}
	for name, want := range map[string]float64{"games/turns": 60, "openings/turns": 20, "total/minutes": 90} {
		if got, _ := points[0].Value(name); math.Floor(got) != want {
			t.Errorf("%s is %g, want %g", name, got, want)
		}
	}
}
