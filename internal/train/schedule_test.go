package train

import (
	"math"
	"strings"
	"testing"
	"time"

	"warren/internal/learn"
	"warren/internal/recipe"
)

// The schedule of a run of 10 generations or an hour, with 50 games at first and then 5 a generation.
func TestSchedule(t *testing.T) {
	c := recipe.DefaultConfig()
	c.Loop.Generations, c.Loop.Duration = 10, time.Hour
	c.Loop.BootstrapGames, c.Loop.GamesPerGeneration, c.Loop.MaxLead, c.Loop.ReplayRatio = 50, 5, 1.5, 0.3
	c.Match.Every = 4
	second := c
	second.Loop.ReplayRatio = 2
	s := newSchedule([]recipe.Stage{{Config: c}, {Begin: 0.5, Config: second}})
	for _, c := range []struct {
		what         string
		at           state
		elapsed      time.Duration
		done         float64
		games, bound int
		reached      string
	}{
		{"at the beginning", state{}, 0, 0, 50, 50, ""},
		{"when generation 0 is collected", state{Games: 50, Target: 10}, 0, 0, 100, 50, ""},
		{"in the middle of its training", state{Games: 50, Samples: 5, Target: 10}, 0, 0.05, 100, 50, ""},
		{"when the learner waits for games", state{Generation: 2, Games: 100}, time.Minute, 0.2, 105, 108, ""}, // one and a half generations, rounded up
		{"when the time is further", state{Generation: 2, Games: 100}, 30 * time.Minute, 0.5, 105, 108, ""},
		{"with a given network", state{Generation: 1, Start: 1}, 0, 0, 5, 8, ""},
		{"after the end", state{Generation: 2}, 2 * time.Hour, 1, 5, 8, "loop.duration"},
		{"after the last generation", state{Generation: 10}, time.Minute, 1, 5, 8, "loop.generations"},
		{"after both", state{Generation: 10}, time.Hour, 1, 5, 8, "loop.duration and loop.generations"},
	} {
		if done := s.done(&c.at, c.elapsed); done != c.done {
			t.Errorf("%s: %g is done, want %g", c.what, done, c.done)
		}
		if reached := strings.Join(s.reached(&c.at, c.elapsed), " and "); reached != c.reached {
			t.Errorf("%s: %q is reached, want %q", c.what, reached, c.reached)
		}
		if games, bound := s.games(&c.at), s.bound(&c.at); games != c.games || bound != c.bound {
			t.Errorf("%s: the next generation is trained after %d games and self-play waits at %d, want %d and %d", c.what, games, bound, c.games, c.bound)
		}
	}
	if n := s.samples(&state{}, 5); n != 2 { // 1.5, rounded
		t.Errorf("%d samples for 5 positions, want 2", n)
	}
	if n := s.samples(&state{Stage: 1}, 5); n != 10 {
		t.Errorf("%d samples for 5 positions in stage 2, want 10", n)
	}
	for generation, want := range map[int]bool{3: false, 4: true, 8: true} {
		if s.measures(generation, false) != want || !s.measures(generation, true) {
			t.Errorf("generation %d: measured %t, want %t, and always at the end", generation, !want, want)
		}
	}
	if s.measure = 0; s.measures(4, true) {
		t.Error("measured although match.every is 0")
	}
}

// Stages begin with the generation that ends when their share of the run is done, and the learning rate rises and
// falls in each.
func TestScheduleOfStages(t *testing.T) {
	c := recipe.DefaultConfig()
	c.Learner.Rate = learn.RateConfig{Initial: 1, Final: 0, WarmUp: 4}
	later := c
	later.Learner.Rate = learn.RateConfig{Initial: 2, Final: 2}
	s := newSchedule([]recipe.Stage{{Config: c}, {Begin: 0.25, Config: c}, {Begin: 0.75, Config: later}})
	for _, c := range []struct {
		stage int
		done  float64
		want  int
	}{{0, 0, 0}, {0, 0.2, 0}, {0, 0.25, 1}, {1, 0.5, 1}, {1, 0.75, 2}, {0, 0.9, 2}, {2, 0.1, 2}, {0, 1, 0}, {1, 1, 1}} {
		if got := s.stage(&state{Stage: c.stage}, c.done); got != c.want {
			t.Errorf("after stage %d, at %g of the run, stage %d follows, want %d", c.stage, c.done, got, c.want)
		}
	}
	for _, c := range []struct {
		at   state
		done float64
		want float64
	}{
		{state{Step: 100}, 0, 1},
		{state{Step: 100}, 0.125, 0.5},
		{state{Step: 100}, 0.25, 0},
		{state{Step: 100, Stage: 1}, 0.3, 0}, // the learner is still in the first
		{state{Step: 101, Stage: 1, Learner: 1, Begun: 100}, 0.25, 0.5},
		{state{Step: 104, Stage: 1, Learner: 1, Begun: 100}, 0.5, 0.5},
		{state{Step: 104, Stage: 1, Learner: 1, Begun: 100}, 0.1, 1}, // the run was made longer
		{state{Step: 104, Stage: 2, Learner: 2, Begun: 100}, 0.9, 2},
	} {
		if got := s.rate(&c.at, c.done); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%+v: at %g of the run the rate is %g, want %g", c.at, c.done, got, c.want)
		}
	}
}
