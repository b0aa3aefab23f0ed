package hub

import (
	"slices"
	"testing"
	"time"

	"warren/data"
)

// inPlay simulates a worker that plays as many games at once as it gets numbers for, up to want, and
// returns how many that are in the end. A game takes a time that grows with the number of games in play.
func inPlay(want, room int, whole time.Duration) int {
	type given struct {
		time, end time.Time
	}
	w, now := &worker{}, time.Unix(1e9, 0)
	var games []given
	for end := now.Add(whole); now.Before(end); now = now.Add(time.Second) {
		held, left := 0, games[:0]
		for _, g := range games {
			if now.Before(g.end) {
				left = append(left, g)
				if now.Sub(g.time) <= patient {
					held++
				}
			} else {
				w.accept(now)
			}
		}
		games = left
		for range min(want-len(games), max(w.share(), w.slowShare(now, room))-held) {
			took := time.Minute + time.Duration(len(games))*200*time.Millisecond
			games = append(games, given{now, now.Add(took)})
		}
	}
	return len(games)
}

// A worker whose games take long comes to have as many in play as it can, and leaves others half of the
// room that the learner has.
func TestShareOfSlowGames(t *testing.T) {
	if n := inPlay(6000, -1, 3*time.Hour); n < 5000 { // then a game takes 20 minutes
		t.Errorf("without a limit %d games are in play", n)
	}
	if n := inPlay(6000, 1000, 3*time.Hour); n < 450 || n > 500 {
		t.Errorf("with room for 1000 games, %d are in play", n)
	}
}

// The rate of a worker that brings no more games falls, though its share does not, and that of a slow one
// stays between its games.
func TestRateFalls(t *testing.T) {
	for _, pace := range []time.Duration{time.Second, time.Minute} {
		w, now := &worker{}, time.Unix(1e9, 0)
		for range 60 {
			now = now.Add(pace)
			w.accept(now)
		}
		share := w.share()
		for _, c := range []struct {
			since time.Duration // the last game
			most  float64
		}{{0, 1}, {pace / 2, 1}, {pace, 1}, {100 * pace, 0.1}, {10_000 * pace, 0.001}} {
			rate := w.activity(now.Add(c.since)).Rate * pace.Seconds() // games in the time of one
			if rate > c.most+1e-6 || c.most == 1 && rate < 1-1e-6 {
				t.Errorf("%v after games that came every %v, they still come at %g times that pace", c.since, pace, rate)
			}
		}
		if w.share() != share {
			t.Errorf("its share was %d numbers and is %d", share, w.share())
		}
	}
}

// A worker that has brought games and stops playing soon has no more numbers than its rate gives it.
func TestShareOfAWorkerThatStops(t *testing.T) {
	w, now := &worker{}, time.Unix(1e9, 0)
	share := func(room int) int { return max(w.share(), w.slowShare(now, room)) }
	if n := share(-1); n != 64 {
		t.Errorf("a new worker may hold %d numbers", n)
	}
	for range 10 * time.Minute / time.Second {
		now = now.Add(time.Second)
		w.accept(now)
	}
	if n := share(-1); n < 600 || n > 700 {
		t.Errorf("after 600 games it may hold %d numbers", n)
	}
	if n := share(100); n != 94 { // by its rate
		t.Errorf("with room for 100, it may hold %d numbers", n)
	}
	now = now.Add(2 * patient)
	if n := share(-1); n != 94 {
		t.Errorf("20 minutes later it may hold %d numbers", n)
	}
}

// A worker is removed after a hundred refusals, and one more for every twenty games that were accepted.
func TestRefusalsThatAreTooMany(t *testing.T) {
	for _, c := range []struct{ games, most int }{{0, 100}, {1000, 150}} {
		w := &worker{done: Activity{Games: c.games}}
		for i := range c.most {
			if w.refuse("damaged") {
				t.Fatalf("with %d games, %d refusals are too many", c.games, i+1)
			}
		}
		if !w.refuse("damaged") {
			t.Errorf("with %d games, %d refusals are not too many", c.games, c.most+1)
		}
	}
}

// A worker that brings nothing but games that a state of the hub can make it refuse is told so, of each
// for which it asks, and is never removed.
func TestRefusalsWithoutBlame(t *testing.T) {
	w := &worker{}
	kinds := []string{"another version", "unknown network", "unknown settings", "settings of another stage", "number not leased", "number used before"}
	for i := range 3 * mostAsked {
		if kind := kinds[i%len(kinds)]; w.refuse(kind) {
			t.Fatalf("after %d games it is removed for %s", i+1, kind)
		}
		w.recordRefused(data.Hash{byte(i), byte(i >> 8)})
	}
	if n, why := w.seen(time.Now(), 0); n != 3*mostAsked || !slices.Contains(kinds, why) {
		t.Errorf("it is told of %d, %q", n, why)
	}
	for i := range 3 * mostAsked {
		if !w.hasRefused(data.Hash{byte(i), byte(i >> 8)}) {
			t.Fatalf("game %d of %d is forgotten", i+1, 3*mostAsked)
		}
	}
}

// A removed worker is no longer one of those whose games are taken.
func TestRemovedWorkerIsNotActive(t *testing.T) {
	w := newWorkers(&Options{rate: 1})
	now := time.Now()
	w.update([]*Credential{{Name: "a", Account: "A"}})
	before := w.of("A")
	cutOff, others := w.update([]*Credential{{Name: "a", Account: "A", Removed: &now}})
	if before == nil || w.of("A") != nil || len(cutOff) != 1 || len(others) > 0 {
		t.Errorf("before %v, now %v; cut off %v, others %v", before, w.of("A"), cutOff, others)
	}
}
