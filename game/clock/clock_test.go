package clock

import (
	"testing"
	"time"

	"warren/game"
)

const (
	second = time.Second
	minute = time.Minute
)

// both returns the same reserve for both sides.
func both(d time.Duration) [2]time.Duration { return [2]time.Duration{d, d} }

func TestLimit(t *testing.T) {
	for _, c := range []struct {
		name  string
		clock Clock
		setup bool
		want  time.Duration
		ok    bool
	}{
		{"unlimited", Clock{}, false, 0, false},
		{"unlimited setup", Clock{}, true, 0, false},
		{"a limit of the game alone", Clock{Control: Control{Max: 9 * second, Total: minute, Turns: 3}}, false, 0, false},
		{"a move's time", Clock{Control: Control{Move: 5 * second}}, false, 5 * second, true},
		{"the side's own reserve", Clock{Control: Control{Move: 5 * second, Reserve: minute}, Reserves: [2]time.Duration{second, 9 * second}}, false, 14 * second, true},
		{"a reserve alone", Clock{Reserves: both(3 * second)}, false, 3 * second, true},
		{"an empty reserve alone", Clock{Control: Control{Reserve: minute}}, false, 0, true},
		{"the longest turn alone", Clock{Control: Control{TurnTime: 7 * second}}, false, 7 * second, true},
		{"a move shorter than the longest turn", Clock{Control: Control{Move: 5 * second, TurnTime: 7 * second}}, false, 5 * second, true},
		{"the longest turn with reserve left", Clock{Control: Control{Move: 9 * second, Reserve: minute, TurnTime: 12 * second}, Reserves: both(minute)}, false, 12 * second, true},
		{"a setup's minute", Clock{Control: Control{Move: 15 * second}}, true, minute, true},
		{"a setup's minute and reserve", Clock{Control: Control{Reserve: minute}, Reserves: both(9 * second)}, true, 69 * second, true},
		{"a setup's move time", Clock{Control: Control{Move: 2 * minute}, Reserves: both(second)}, true, 121 * second, true},
		{"a setup's longest time", Clock{Control: Control{Move: 15 * second, Reserve: minute, TurnTime: 90 * second}, Reserves: both(minute)}, true, 90 * second, true},
		{"a setup's minute beyond the longest turn", Clock{Control: Control{Move: 15 * second, TurnTime: 20 * second}}, true, minute, true},
	} {
		if got, ok := c.clock.Limit(game.Silver, c.setup); got != c.want || ok != c.ok {
			t.Errorf("%s: %v, %t; want %v, %t", c.name, got, ok, c.want, c.ok)
		}
	}
}

// TestReserve spends one turn or setup of Silver, whose reserve is full at first.
func TestReserve(t *testing.T) {
	for _, c := range []struct {
		control string
		setup   bool
		used    time.Duration
		want    time.Duration
	}{
		// The examples of the rules.
		{"0:30/5/100/3", false, 10 * second, 5 * minute},
		{"0:30/5/100/3", false, 40 * second, 4*minute + 50*second},
		{"0:30/2:50/100/3", false, 10 * second, 3 * minute},
		{"0:30/2:50/100/3", false, 25 * second, 2*minute + 55*second},
		// Without a limit of the reserve.
		{"2/2", false, 30 * second, 3*minute + 30*second},
		{"2/2", false, 2 * minute, 2 * minute},
		{"2/2", false, 3 * minute, minute},
		{"2/2", false, 5 * minute, 0},
		// The percentage, rounded to the second.
		{"0:10/1/50", false, 8 * second, 61 * second},
		{"0:10/1/50", false, 9 * second, 61 * second}, // half a second
		{"0:10/1/33", false, 9 * second, 60 * second},
		{"0:10/1", false, 6400 * time.Millisecond, 64 * second},
		{"0:10/1/0", false, 0, 60 * second},
		{"0:10/1/1000", false, 9 * second, 70 * second},
		// Only additions are rounded.
		{"0:10/1", false, 10*second + 300*time.Millisecond, 59*second + 700*time.Millisecond},
		// A setup adds nothing, whatever it has.
		{"2/2", true, 3 * second, 2 * minute},
		{"2/2", true, 3 * minute, minute},
		{"0:15/1", true, 10 * second, minute},
		{"0:15/1", true, 40 * second, minute},
		{"0:15/1", true, 80 * second, 40 * second},
		{"0:15/1", true, 5 * minute, 0},
		{"0/1", true, 61 * second, 59 * second},
	} {
		control, err := ParseControl(c.control)
		if err != nil {
			t.Fatal(err)
		}
		clock := New(control)
		clock.MoveUsed, clock.Elapsed = second, minute
		want := clock
		want.Elapsed += c.used
		want.Reserves[game.Silver], want.Used[game.Silver], want.LastMoveUsed, want.MoveUsed = c.want, c.used, c.used, 0
		if clock.Spend(game.Silver, c.setup, c.used); clock != want {
			t.Errorf("%s, setup %t, after %v: %+v, want %+v", c.control, c.setup, c.used, clock, want)
		}
	}
	// A controller may give a reserve where the control has none.
	given := Clock{Reserves: both(minute)}
	if given.Spend(game.Gold, false, second); given.Reserves != [2]time.Duration{59 * second, minute} {
		t.Errorf("of a minute, %v are left after a second", given.Reserves)
	}
	free := New(Unlimited())
	free.Spend(game.Gold, false, second)
	if free.Reserves != both(0) {
		t.Errorf("without limits a reserve grew to %v", free.Reserves)
	}
}

// TestReserveIsBounded: no number of turns makes a reserve overflow.
func TestReserveIsBounded(t *testing.T) {
	clock := New(Control{Move: 30 * longest, Reserve: second, Percent: mostPercent})
	for range 1000 {
		clock.Spend(game.Gold, false, 0)
	}
	if clock.Reserves[game.Gold] != longest {
		t.Errorf("the reserve is %v", clock.Reserves[game.Gold])
	}
}

func TestOver(t *testing.T) {
	for _, c := range []struct {
		control string
		elapsed time.Duration
		turns   int
		want    bool
	}{
		{"4/4", 1000 * time.Hour, 1000, false},
		{"4/4/100/4/90t", 0, 177, false}, // 90g is played
		{"4/4/100/4/90t", 0, 178, true},  // 90s is played
		{"4/4/100/4/1t", 0, 0, true},     // both setups are
		{"4/4/100/4/2", 2*time.Hour - second, 5, false},
		{"4/4/100/4/2", 2 * time.Hour, 5, true},
	} {
		control, err := ParseControl(c.control)
		if err != nil {
			t.Fatal(err)
		}
		clock := New(control)
		clock.Elapsed = c.elapsed
		if got := clock.Over(c.turns); got != c.want {
			t.Errorf("%s after %v and %d turns: %t", c.control, c.elapsed, c.turns, got)
		}
	}
}
