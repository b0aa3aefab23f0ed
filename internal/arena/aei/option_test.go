package aei

import (
	"testing"
	"time"

	"warren/game/clock"
)

// TestClockOptionsRoundTrip sends a clock as options and reads them back.
func TestClockOptionsRoundTrip(t *testing.T) {
	const second = time.Second
	want := clock.Clock{
		Control:  clock.Control{Move: 1500 * time.Millisecond, Reserve: 2 * second, Percent: 33.5, Max: 4 * second, Total: 5 * second, Turns: 6, TurnTime: 7 * second},
		Reserves: [2]time.Duration{8 * second, 9 * second}, Used: [2]time.Duration{10 * second, 11 * second}, LastMoveUsed: 12 * second, MoveUsed: 13 * second,
	}
	got := clock.New(clock.Unlimited())
	for _, o := range append(ControlOptions(&want.Control), ClockOptions(&want)...) {
		if known, err := SetClock(&got, o.Name, o.Value); !known || err != nil {
			t.Errorf("%v: %t, %v", o, known, err)
		}
	}
	if got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if o := ControlOptions(&want.Control)[0]; o != (Option{"tcmove", "1.5"}) {
		t.Errorf("sent %v", o)
	}
	if o := ControlOptions(&want.Control)[1]; o != (Option{"tcreserve", "2"}) {
		t.Errorf("sent %v", o)
	}
	if known, err := SetClock(&got, "tcreserve", "much"); !known || err == nil || got != want {
		t.Errorf("a reserve that is no number: %t, %v, %+v", known, err, got)
	}
}
