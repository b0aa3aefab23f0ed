package aei

import (
	"testing"
	"time"

	"warren/game"
)

const second = time.Second

func TestLimit(t *testing.T) {
	for _, c := range []struct {
		clock Clock
		want  time.Duration
		ok    bool
	}{
		{Clock{}, 0, false},
		{Clock{Max: 9 * second, Total: 60 * second, Turns: 3}, 0, false},
		{Clock{Move: 5 * second}, 5 * second, true},
		{Clock{Move: 5 * second, Reserve: 60 * second, Reserves: [2]time.Duration{second, 9 * second}}, 14 * second, true},
		{Clock{Reserve: 60 * second}, 0, true},
		{Clock{TurnTime: 7 * second}, 7 * second, true},
		{Clock{Move: 5 * second, TurnTime: 7 * second}, 5 * second, true},
		{Clock{Move: 9 * second, TurnTime: 7 * second}, 7 * second, true},
	} {
		if got, ok := c.clock.Limit(game.Silver); got != c.want || ok != c.ok {
			t.Errorf("%+v: %v, %t; want %v, %t", c.clock, got, ok, c.want, c.ok)
		}
	}
}

func TestSpend(t *testing.T) {
	base := Clock{Move: 10 * second, Reserve: 60 * second, Percent: 50, Max: 62 * second}
	base.Begin()
	for _, c := range []struct{ used, want time.Duration }{
		{10 * second, 60 * second}, {8 * second, 61 * second}, {0, 62 * second}, {25 * second, 45 * second}, {100 * second, 0},
	} {
		clock := base
		clock.MoveUsed = second
		clock.Spend(game.Silver, c.used)
		want := base
		want.Reserves[game.Silver], want.Used[game.Silver], want.LastMoveUsed = c.want, c.used, c.used
		if clock != want {
			t.Errorf("after %v: %+v, want %+v", c.used, clock, want)
		}
	}
	free := Unlimited()
	free.Spend(game.Gold, second)
	if free.Reserves != [2]time.Duration{} {
		t.Errorf("without limits a reserve grew to %v", free.Reserves)
	}
}

func TestOver(t *testing.T) {
	for _, c := range []struct {
		clock Clock
		turns int
		want  bool
	}{
		{Clock{Elapsed: time.Hour}, 1000, false},
		{Clock{Turns: 3}, 5, false},
		{Clock{Turns: 3}, 6, true},
		{Clock{Total: 2 * second, Elapsed: second}, 0, false},
		{Clock{Total: 2 * second, Elapsed: 2 * second}, 0, true},
	} {
		if got := c.clock.Over(c.turns); got != c.want {
			t.Errorf("%+v after %d turns: %t", c.clock, c.turns, got)
		}
	}
}

// TestClockOptionsRoundTrip sends a clock as options and reads them back.
func TestClockOptionsRoundTrip(t *testing.T) {
	want := Clock{Move: 1500 * time.Millisecond, Reserve: 2 * second, Percent: 33.5, Max: 4 * second, Total: 5 * second, Turns: 6, TurnTime: 7 * second,
		Reserves: [2]time.Duration{8 * second, 9 * second}, Used: [2]time.Duration{10 * second, 11 * second}, LastMoveUsed: 12 * second, MoveUsed: 13 * second}
	got := Unlimited()
	for _, o := range append(want.Control(), want.State()...) {
		if known, err := got.Set(o.Name, o.Value); !known || err != nil {
			t.Errorf("%v: %t, %v", o, known, err)
		}
	}
	if got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if o := want.Control()[0]; o != (Option{"tcmove", "1.5"}) {
		t.Errorf("sent %v", o)
	}
	if o := want.Control()[1]; o != (Option{"tcreserve", "2"}) {
		t.Errorf("sent %v", o)
	}
}
