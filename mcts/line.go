package mcts

import "warren/game"

// line plays the path of a simulation.
type line struct {
	game   *game.Game // after as many actions as have been played
	root   game.Mark
	hashes []uint64 // of the root (0, unused) and of the position after each action
}

// begin makes g the position in which paths begin.
func (l *line) begin(g *game.Game) {
	l.game.CopyFrom(g)
	l.root = g.Mark()
	l.rewind()
}

// rewind takes all actions back.
func (l *line) rewind() {
	l.game.Restore(l.root)
	l.hashes = append(l.hashes[:0], 0)
}

// play plays one more action.
func (l *line) play(a game.Action) {
	l.game.Play(a)
	l.hashes = append(l.hashes, l.game.Hash())
}

// walk plays the actions of the path that have not been played, and returns the position at its end.
func (s *Search) walk(path []choice) *game.Game {
	for _, c := range path[len(s.line.hashes):] {
		s.line.play(s.actions[c.edge])
	}
	return s.line.game
}
