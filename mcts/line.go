package mcts

import "warren/game"

// line plays the path of a simulation.
type line struct {
	game   *game.Game // after as many actions as have been played
	root   game.Mark
	played int
}

// begin makes g the position in which paths begin.
func (l *line) begin(g *game.Game) {
	l.game.CopyFrom(g)
	l.root = g.Mark()
	l.played = 0
}

// rewind takes all actions back.
func (l *line) rewind() {
	l.game.Restore(l.root)
	l.played = 0
}

// walk plays the actions of the path that have not been played, and returns the position at its end.
func (s *Search) walk(path []choice) *game.Game {
	l := &s.line
	for _, c := range path[1+l.played:] {
		l.game.Play(s.actions[c.edge])
	}
	l.played = len(path) - 1
	return l.game
}
