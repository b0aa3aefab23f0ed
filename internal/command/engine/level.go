package engine

import (
	"math/rand/v2"

	"warren/game"
	"warren/internal/arena"
	"warren/internal/think"
)

// levelOf returns the level with a number; 0 stands for none.
func levelOf(n int) arena.Level {
	if n == 0 {
		return arena.Level{}
	}
	return arena.Levels()[n-1]
}

// weak reports whether visits limit the strength of a level. The engine then plays as
// [arena.Searcher] does: what it knows from earlier turns and from the opponent's time
// would make it stronger.
func weak(l arena.Level) bool { return l.Number > 0 && l.Time == 0 }

// configured returns how to search at a level.
func configured(c think.Config, l arena.Level) think.Config {
	if weak(l) {
		c.Threads, c.Batch, c.Tactics = 1, 1, l.Tactics
	}
	return c
}

// limited returns the limits of a turn at a level. Less time than the level's is kept.
func limited(l think.Limits, level arena.Level, g *game.Game) think.Limits {
	limits := think.Limits{Time: l.Time}
	switch {
	case weak(level) || g.InSetup():
		limits.Visits = level.Visits
	case limits.Time == 0 || limits.Time > level.Time:
		limits.Time = level.Time
	}
	return limits
}

// draw returns how freely the level chooses.
func (e *engine) draw(level arena.Level, g *game.Game) think.Draw {
	s := level.Over(arena.SearchSettings{})
	if level.Number == 0 || !g.InSetup() && g.Turns() >= s.TemperatureTurns {
		return think.Draw{}
	}
	if e.rng == nil {
		e.rng = rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64()))
	}
	return think.Draw{Temperature: s.Temperature, Rand: e.rng}
}
