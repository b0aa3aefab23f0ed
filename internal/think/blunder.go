package think

import (
	"time"

	"warren/game"
	"warren/game/tactics"
	"warren/mcts"
)

// The number of steps that the test of a chosen action tries at most. Most positions
// need a few, and some need tens of thousands.
const (
	mostTried        = 200_000 // some 20 ms
	mostTriedInHaste = 20_000  // when the time of the turn is over, as it is after the search of a timed turn's last step
)

// winning returns a turn that wins at once, or nil if there is none or the engine
// does not test for it.
func (e *Engine) winning(g *game.Game) []game.Action {
	if !e.config.Tactics {
		return nil
	}
	return tactics.Winning(g)
}

// blunder reports whether a test finds that the opponent wins next turn after the action,
// whatever the rest of the turn is. If the root's winner is proven, no action is a blunder.
func (t *turnSearch) blunder(a game.Action) bool {
	e, s := t.engine, t.engine.search
	if !e.config.Tactics || !e.config.Search.Proofs || s.Proof() != mcts.Unproven {
		return false
	}
	play := s.Game().Clone()
	side, budget := play.Side(), int64(mostTried)
	if t.hurried() {
		budget = mostTriedInHaste
	}
	play.Play(a)
	switch {
	case play.Result().Over():
		return play.Result().Winner != side
	case play.Side() != side:
		turn, _ := e.tests.Winning(play, budget)
		return turn != nil
	}
	lost, _ := e.tests.Losing(play, budget)
	return lost
}

// hurried reports whether the time of the turn is over or an answer has been asked for.
func (t *turnSearch) hurried() bool {
	select {
	case <-t.limits.Stop:
		return true
	default:
		return t.limits.Time > 0 && time.Since(t.begin) >= t.limits.Time
	}
}
