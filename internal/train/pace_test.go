package train

import (
	"testing"
	"testing/synctest"
	"time"

	"warren/internal/recipe"
)

// A run of 10 generations, continued near the end of its fifth: each plays for 9 minutes and learns for one. The time left
// does not depend on which of the two it does, and nothing is said before the first whole generation or when one is late.
func TestTimeLeftOfGenerations(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := recipe.DefaultConfig()
		c.Loop.Generations, c.Loop.Duration = 10, 0
		p := newProgress([]recipe.Stage{{Config: c}})
		p.state = state{Generation: 6, Start: 2, Elapsed: time.Hour}
		p.start(newClock(recipe.WallClock))
		go p.keepTime(t.Context())
		expect := func(when string, want time.Duration) {
			t.Helper()
			if got := p.left().Round(time.Second); got != max(want, 0) || p.left() < 0 != (want < 0) {
				t.Errorf("%s: %v are left, want %v", when, got, want)
			}
		}
		generation := func() {
			p.set(func(s *state) {
				s.Generation++
				s.From, s.Target = s.Samples, s.Samples
				p.pace.generation()
			})
		}
		expect("at the start", -1)
		time.Sleep(30 * time.Second)
		p.set(func(s *state) { s.Samples, s.Target = 50, 100 })
		expect("while the rest of a generation is learned", -1)
		time.Sleep(30 * time.Second)
		generation()
		expect("after the rest of a generation", -1)
		time.Sleep(10 * time.Minute)
		generation()
		expect("after a whole generation", 40*time.Minute)
		time.Sleep(9 * time.Minute)
		expect("after the games of the next", 31*time.Minute)
		time.Sleep(30 * time.Second)
		p.set(func(s *state) { s.Samples, s.Target = 50, 100 })
		expect("while it is learned", 30*time.Minute+30*time.Second)
		time.Sleep(30 * time.Second)
		for range 3 {
			generation()
		}
		expect("before the last, after four in 20 minutes", 5*time.Minute)
		time.Sleep(6 * time.Minute)
		expect("when the last is late", -1)
		p.set(func(s *state) { s.Generation++ })
		expect("when only the closing match is left", 0)
		p.set(func(s *state) { s.Generation-- })
		p.schedule.loop.Duration = 2 * time.Hour
		expect("with a duration that is less done", -1)
		p.schedule.loop.Duration = 80 * time.Minute
		expect("with one that is done", 0)
		p.schedule.loop.Generations = 0
		expect("without a number of generations", 0)
	})
}
