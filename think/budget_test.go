package think

import (
	"testing"
	"time"

	"warren/aei"
	"warren/game"
)

func TestBudget(t *testing.T) {
	const s, overhead = time.Second, 100 * time.Millisecond
	both := func(d time.Duration) [2]time.Duration { return [2]time.Duration{d, d} }
	for name, c := range map[string]struct {
		clock  aei.Clock
		played int
		want   time.Duration
	}{
		"unlimited":                 {aei.Clock{}, 0, 0},
		"a move's time":             {aei.Clock{Move: 5 * s}, 0, 5*s - overhead},
		"and a share of reserve":    {aei.Clock{Move: 5 * s, Reserve: 60 * s, Reserves: both(60 * s)}, 9, 7*s - overhead},
		"reserve alone":             {aei.Clock{Reserve: 60 * s, Reserves: both(60 * s)}, 0, 2*s - overhead},
		"an empty reserve":          {aei.Clock{Reserve: 60 * s}, 0, time.Millisecond},
		"used already":              {aei.Clock{Move: 5 * s, MoveUsed: 2 * s}, 0, 3*s - overhead},
		"used up":                   {aei.Clock{Move: 5 * s, MoveUsed: 8 * s}, 0, time.Millisecond},
		"the longest turn":          {aei.Clock{Move: 5 * s, TurnTime: 3 * s}, 0, 3*s - overhead},
		"the longest turn alone":    {aei.Clock{TurnTime: 3 * s}, 0, 3*s - overhead},
		"few turns left":            {aei.Clock{Move: 5 * s, Reserve: 60 * s, Reserves: both(60 * s), Turns: 40}, 37, 25*s - overhead},
		"after the last turn":       {aei.Clock{Move: 5 * s, Reserve: 60 * s, Reserves: both(60 * s), Turns: 40}, 45, 65*s - overhead},
		"the game's end":            {aei.Clock{Move: 5 * s, Total: 600 * s, Elapsed: 597 * s}, 0, 3*s - overhead},
		"the game's length alone":   {aei.Clock{Total: 600 * s}, 0, 10*s - overhead},
		"a move shorter than a way": {aei.Clock{Move: overhead / 2}, 0, time.Millisecond},
	} {
		if got := Budget(&c.clock, game.Silver, c.played, overhead); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}
