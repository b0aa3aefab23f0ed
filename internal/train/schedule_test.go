package train

import (
	"testing"
	"time"

	"warren/internal/recipe"
)

// The schedule of a run of 10 generations or an hour, with 50 games at first and then 5 a generation.
func TestSchedule(t *testing.T) {
	c := recipe.DefaultConfig()
	c.Loop.Generations, c.Loop.Duration = 10, time.Hour
	c.Loop.BootstrapGames, c.Loop.GamesPerGeneration, c.Loop.MaxLead, c.Loop.ReplayRatio = 50, 5, 1.5, 0.3
	c.Match.Every = 4
	s := newSchedule(&c)
	for _, c := range []struct {
		what         string
		at           state
		elapsed      time.Duration
		done         float64
		games, bound int
	}{
		{"at the beginning", state{}, 0, 0, 50, 50},
		{"when generation 0 is collected", state{Games: 50, Target: 10}, 0, 0, 100, 50},
		{"in the middle of its training", state{Games: 50, Samples: 5, Target: 10}, 0, 0.05, 100, 50},
		{"when the learner waits for games", state{Generation: 2, Games: 100}, time.Minute, 0.2, 105, 108}, // one and a half generations, rounded up
		{"when the time is further", state{Generation: 2, Games: 100}, 30 * time.Minute, 0.5, 105, 108},
		{"after the end", state{Generation: 2}, 2 * time.Hour, 1, 5, 8},
	} {
		if done := s.done(&c.at, c.elapsed); done != c.done {
			t.Errorf("%s: %g is done, want %g", c.what, done, c.done)
		}
		if games, bound := s.games(&c.at), s.bound(&c.at); games != c.games || bound != c.bound {
			t.Errorf("%s: the next generation is trained after %d games and self-play waits at %d, want %d and %d", c.what, games, bound, c.games, c.bound)
		}
	}
	if n := s.samples(5); n != 2 { // 1.5, rounded
		t.Errorf("%d samples for 5 positions, want 2", n)
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
