package clock

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
		{Clock{Control: Control{Max: 9 * second, Total: 60 * second, Turns: 3}}, 0, false},
		{Clock{Control: Control{Move: 5 * second}}, 5 * second, true},
		{Clock{Control: Control{Move: 5 * second, Reserve: 60 * second}, Reserves: [2]time.Duration{second, 9 * second}}, 14 * second, true},
		{Clock{Control: Control{Reserve: 60 * second}}, 0, true},
		{Clock{Control: Control{TurnTime: 7 * second}}, 7 * second, true},
		{Clock{Control: Control{Move: 5 * second, TurnTime: 7 * second}}, 5 * second, true},
		{Clock{Control: Control{Move: 9 * second, TurnTime: 7 * second}}, 7 * second, true},
	} {
		if got, ok := c.clock.Limit(game.Silver); got != c.want || ok != c.ok {
			t.Errorf("%+v: %v, %t; want %v, %t", c.clock, got, ok, c.want, c.ok)
		}
	}
}

func TestSpend(t *testing.T) {
	base := New(Control{Move: 10 * second, Reserve: 60 * second, Percent: 50, Max: 62 * second})
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
	free := New(Unlimited())
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
		{Clock{Control: Control{Turns: 3}}, 5, false},
		{Clock{Control: Control{Turns: 3}}, 6, true},
		{Clock{Control: Control{Total: 2 * second}, Elapsed: second}, 0, false},
		{Clock{Control: Control{Total: 2 * second}, Elapsed: 2 * second}, 0, true},
	} {
		if got := c.clock.Over(c.turns); got != c.want {
			t.Errorf("%+v after %d turns: %t", c.clock, c.turns, got)
		}
	}
}
