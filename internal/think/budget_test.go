package think

import (
	"testing"
	"time"

	"warren/game"
	"warren/game/clock"
	"warren/internal/gametest"
)

// standing is a clock whose reserves are full.
func standing(c clock.Control, set func(*clock.Clock)) clock.Clock {
	now := clock.New(c)
	if set != nil {
		set(&now)
	}
	return now
}

func TestBudget(t *testing.T) {
	const s, overhead = time.Second, 100 * time.Millisecond
	used := func(d time.Duration) func(*clock.Clock) { return func(c *clock.Clock) { c.MoveUsed = d } }
	unequal := func(c *clock.Clock) { c.Reserves = [2]time.Duration{game.Gold: 60 * s, game.Silver: 3 * s} }
	archive := gametest.Archive(t)
	for name, c := range map[string]struct {
		clock  clock.Clock
		played int // turns of both sides after the setups; -1: in a setup
		want   time.Duration
	}{
		"unlimited":                 {clock.Clock{}, 0, 0},
		"a move's time":             {standing(clock.Control{Move: 5 * s}, nil), 0, 5*s - overhead},
		"and a share of reserve":    {standing(clock.Control{Move: 5 * s, Reserve: 60 * s}, nil), 18, 7*s - overhead},
		"reserve alone":             {standing(clock.Control{Reserve: 60 * s}, nil), 0, 2*s - overhead},
		"a reserve that is told":    {clock.Clock{Reserves: [2]time.Duration{game.Gold: 60 * s}}, 0, 2*s - overhead},
		"an empty reserve":          {clock.Clock{Control: clock.Control{Reserve: 60 * s}}, 0, time.Millisecond},
		"used already":              {standing(clock.Control{Move: 5 * s}, used(2*s)), 0, 3*s - overhead},
		"used up":                   {standing(clock.Control{Move: 5 * s}, used(8*s)), 0, time.Millisecond},
		"the longest turn":          {standing(clock.Control{Move: 5 * s, TurnTime: 3 * s}, nil), 0, 3*s - overhead},
		"the longest turn alone":    {standing(clock.Control{TurnTime: 3 * s}, nil), 0, 3*s - overhead},
		"few turns left":            {standing(clock.Control{Move: 5 * s, Reserve: 60 * s, Turns: 40}, nil), 72, 25*s - overhead}, // 38 and 39, 40 of each side
		"before the last turn":      {standing(clock.Control{Move: 5 * s, Reserve: 60 * s, Turns: 40}, nil), 76, 65*s - overhead},
		"after the last turn":       {standing(clock.Control{Move: 5 * s, Reserve: 60 * s, Turns: 40}, nil), 90, 65*s - overhead},
		"Gold's own reserve":        {standing(clock.Control{Move: 5 * s, Reserve: 60 * s}, unequal), 18, 7*s - overhead},
		"Silver's own reserve":      {standing(clock.Control{Move: 5 * s, Reserve: 60 * s}, unequal), 19, 5*s + s/10 - overhead},
		"Gold's own, few turns":     {standing(clock.Control{Move: 5 * s, Reserve: 60 * s, Turns: 40}, unequal), 72, 25*s - overhead}, // 38 to 40
		"Silver's own, few turns":   {standing(clock.Control{Move: 5 * s, Reserve: 60 * s, Turns: 40}, unequal), 73, 6*s - overhead},  // the same
		"the game's end":            {standing(clock.Control{Move: 5 * s, Total: 600 * s}, func(c *clock.Clock) { c.Elapsed = 597 * s }), 0, 3*s - overhead},
		"the game's length alone":   {standing(clock.Control{Total: 600 * s}, nil), 0, 10*s - overhead},
		"a move shorter than a way": {standing(clock.Control{Move: overhead / 2}, nil), 0, time.Millisecond},
		"a setup":                   {standing(clock.Control{Move: 15 * s, Reserve: 60 * s}, nil), -1, 17*s - overhead},
		"a setup and the reserve":   {standing(clock.Control{Move: 120 * s, Reserve: 60 * s}, nil), -1, 120*s - overhead},
		"a setup's minute":          {standing(clock.Control{Move: 59 * s, Reserve: 60 * s}, nil), -1, 60*s - overhead},
		"a setup with time used":    {standing(clock.Control{Move: 15 * s}, used(10*s)), -1, 5*s - overhead},
	} {
		g := game.New()
		if c.played >= 0 {
			g = after(t, archive, c.played)
		}
		if got := Budget(&c.clock, g, overhead); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// after returns a real game of the archive after the given number of turns.
func after(t *testing.T, archive []*game.MoveList, turns int) *game.Game {
	t.Helper()
	for _, list := range archive {
		if list.Game.Turns() <= turns {
			continue
		}
		g := game.New()
		for _, a := range list.Actions {
			if g.Play(a); !g.InSetup() && g.Turns() == turns {
				return g
			}
		}
	}
	t.Fatalf("no game has %d turns", turns)
	return nil
}
