package engine

import (
	"math/rand/v2"

	"warren/game"
	"warren/internal/arena"
	"warren/internal/arena/aei"
	"warren/internal/think"
)

// parseLevel reads a level; 0 stands for none.
func parseLevel(text string) (arena.Level, error) {
	if text == "" || text == "0" {
		return arena.Level{}, nil
	}
	return arena.ParseLevel(text)
}

// setLevel sets the level from the next search on.
func (e *engine) setLevel(text string) error {
	l, err := parseLevel(text)
	if err != nil {
		return err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.changed = e.changed || e.level != l
	e.level, e.adapts = l, l.Adapts
	return nil
}

// adapt chooses the level of a turn if the engine adapts to its opponent.
func (e *engine) adapt(t aei.Task) error {
	g := t.Game
	if !e.adapts || t.Ponder {
		return nil
	}
	before, base := e.level, e.level
	if g.InSetup() || !t.Begun.Equal(e.begun) { // the level is that at which another game ended
		base = arena.Adapting()
	}
	switch {
	case g.InSetup() || e.thinker == nil:
		e.level = base
	case g.StepsLeft() < 4:
		return nil
	default:
		chance, err := e.thinker.Evaluate(g)
		if err != nil {
			return err
		}
		e.level = base.Adapted(chance)
	}
	e.begun = t.Begun
	e.changed = e.changed || e.level.Tactics != before.Tactics
	return nil
}

// weak reports whether visits limit the strength of a level. The engine then plays as
// [arena.Searcher] does: what it knows from earlier turns and from the opponent's time
// would make it stronger.
func weak(l arena.Level) bool { return l != (arena.Level{}) && l.Time == 0 }

// configured returns how to search at a level.
func configured(c think.Config, l arena.Level) think.Config {
	if weak(l) {
		c.Threads, c.Batch, c.Keep, c.Tactics = 1, 1, false, l.Tactics
	}
	return c
}

// limited returns the limits of a turn at a level. Less time than the level's is kept.
func limited(l think.Limits, level arena.Level) think.Limits {
	limits := think.Limits{Time: l.Time}
	switch {
	case weak(level):
		limits.Visits = level.Visits
	case limits.Time == 0 || limits.Time > level.Time:
		limits.Time = level.Time
	}
	return limits
}

// draw returns how freely the level chooses. Setups are drawn at any level, and without one.
func (e *engine) draw(level arena.Level, g *game.Game) think.Draw {
	s := level.Over(arena.SearchSettings{})
	if !g.InSetup() && (level == (arena.Level{}) || g.Turns() >= s.TemperatureTurns) {
		return think.Draw{}
	}
	if e.rng == nil {
		e.rng = rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64()))
	}
	return think.Draw{Temperature: s.Temperature, Rand: e.rng}
}
