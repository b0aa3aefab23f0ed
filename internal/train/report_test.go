package train

import (
	"log/slog"
	"path/filepath"
	"testing"

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

// The losses of a generation are in its point alone, also if the next is trained on nothing.
func TestLossesAreOfOneGeneration(t *testing.T) {
	t.Parallel()
	run := open(t, filepath.Join(t.TempDir(), "run"), tiny(recipe.Sync), observe.Nobody, slog.New(slog.DiscardHandler))
	defer shut(t, run)
	run.progress.last = learn.Losses{{Head: "value", Mean: 1, Weight: 1}}
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
}
