package think

import (
	"testing"
	"time"

	"warren/clock"
	"warren/game"
)

func TestBudget(t *testing.T) {
	const s, overhead = time.Second, 100 * time.Millisecond
	both := func(d time.Duration) [2]time.Duration { return [2]time.Duration{d, d} }
	for name, c := range map[string]struct {
		clock  clock.Clock
		played int
		want   time.Duration
	}{
		"unlimited":                 {clock.Clock{}, 0, 0},
		"a move's time":             {clock.Clock{Control: clock.Control{Move: 5 * s}}, 0, 5*s - overhead},
		"and a share of reserve":    {clock.Clock{Control: clock.Control{Move: 5 * s, Reserve: 60 * s}, Reserves: both(60 * s)}, 9, 7*s - overhead},
		"reserve alone":             {clock.Clock{Control: clock.Control{Reserve: 60 * s}, Reserves: both(60 * s)}, 0, 2*s - overhead},
		"an empty reserve":          {clock.Clock{Control: clock.Control{Reserve: 60 * s}}, 0, time.Millisecond},
		"used already":              {clock.Clock{Control: clock.Control{Move: 5 * s}, MoveUsed: 2 * s}, 0, 3*s - overhead},
		"used up":                   {clock.Clock{Control: clock.Control{Move: 5 * s}, MoveUsed: 8 * s}, 0, time.Millisecond},
		"the longest turn":          {clock.Clock{Control: clock.Control{Move: 5 * s, TurnTime: 3 * s}}, 0, 3*s - overhead},
		"the longest turn alone":    {clock.Clock{Control: clock.Control{TurnTime: 3 * s}}, 0, 3*s - overhead},
		"few turns left":            {clock.Clock{Control: clock.Control{Move: 5 * s, Reserve: 60 * s, Turns: 40}, Reserves: both(60 * s)}, 37, 25*s - overhead},
		"after the last turn":       {clock.Clock{Control: clock.Control{Move: 5 * s, Reserve: 60 * s, Turns: 40}, Reserves: both(60 * s)}, 45, 65*s - overhead},
		"the game's end":            {clock.Clock{Control: clock.Control{Move: 5 * s, Total: 600 * s}, Elapsed: 597 * s}, 0, 3*s - overhead},
		"the game's length alone":   {clock.Clock{Control: clock.Control{Total: 600 * s}}, 0, 10*s - overhead},
		"a move shorter than a way": {clock.Clock{Control: clock.Control{Move: overhead / 2}}, 0, time.Millisecond},
	} {
		if got := Budget(&c.clock, game.Silver, c.played, overhead); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}
