package replay

import (
	"iter"
	"slices"

	"warren/game"
)

// Position is a position of a window, with what is known about it and the rest of its game.
type Position struct {
	Number uint64     // of the game
	Game   *game.Game // the state before the decision; it changes with the next position, and each game has its own
	Root   float32    // root value of the search: the mover's chance to win
	Left   int        // actions from here to the end of the game, at least 1
	Result game.Result
}

// All yields every position of the window, from the oldest game to the newest. Games that are added or
// leave meanwhile make no difference.
func (w *Window) All() iter.Seq[Position] {
	return func(yield func(Position) bool) {
		w.mu.Lock()
		games := slices.Clone(w.games)
		w.mu.Unlock()
		for _, p := range games {
			g := game.New()
			next := 0 // action to play
			for i, ply := range p.plies {
				for ; next < int(ply); next++ {
					g.Play(p.actions[next])
				}
				if !yield(Position{p.key.number, g, p.rootValue(i), len(p.actions) - next, p.result}) {
					return
				}
			}
		}
	}
}
