package evaluate

import (
	"reflect"
	"testing"
	"time"

	"warren/internal/arena"
	"warren/internal/metrics"
)

// The status says what is known, and a forecast gets old until the next game ends.
func TestStatusOfTournament(t *testing.T) {
	var f flags
	meter := new(arena.Meter)
	first := f.status(arena.Progress{Total: 6}, time.Hour, meter)
	if first.Title != "0 of 6 games" || first.Total != 1 || first.Done != 0 || len(first.Values) > 0 {
		t.Errorf("before a game has ended: %+v", first)
	}
	f.Until, f.Players = 40, []string{"a", "b"} // the third is of --run
	p := arena.Progress{Entrants: 3, Games: 2, Total: 6, Done: 0.25, Left: time.Minute, Turns: 50, Widest: 70}
	for since, left := range map[time.Duration]time.Duration{20 * time.Second: 40 * time.Second, time.Hour: -59 * time.Minute} {
		s := f.status(p, since, meter)
		if s.Title != "2 of about 6 games" || s.Done != 0.25 || s.Left != left || len(s.Values) != 2 || s.Values[0] != (metrics.Value{Name: "turns/game", Value: 25}) {
			t.Errorf("%v after the game: %+v", since, s)
		}
	}
	f = flags{Sprt: "0,10"}
	p.Entrants = 2
	if s := f.status(p, time.Second, meter); s.Title != "2 games" || s.Done != 0 || s.Total != 0 || s.Left != 0 || len(s.Values) != 3 {
		t.Errorf("a test: %+v", s)
	}
}

// A status tells the end of --within, if that comes before the end of the games or where nothing else is known.
func TestStatusWithin(t *testing.T) {
	games := metrics.Status{Done: 0.25, Total: 1, Left: time.Minute}
	for _, c := range []struct {
		within, left time.Duration
		of, want     metrics.Status
	}{
		{0, -time.Hour, games, games},
		{20 * time.Second, 8 * time.Second, games, metrics.Status{Done: 12, Total: 20, Left: time.Minute, Limit: 8 * time.Second}},
		{time.Hour, 50 * time.Minute, games, metrics.Status{Done: 0.25, Total: 1, Left: time.Minute, Limit: 50 * time.Minute}},
		{20 * time.Second, -time.Second, games, metrics.Status{Done: 21, Total: 20, Left: time.Minute, Limit: 1}},
		{20 * time.Second, 8 * time.Second, metrics.Status{Total: 1}, metrics.Status{Done: 12, Total: 20, Limit: 8 * time.Second}}, // no game has ended
		{20 * time.Second, 8 * time.Second, metrics.Status{}, metrics.Status{Done: 12, Total: 20, Limit: 8 * time.Second}},         // a test
	} {
		if got := (&flags{Within: c.within}).limited(c.of, c.left); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%v before the end of %v: %+v, want %+v", c.left, c.within, got, c.want)
		}
	}
}
