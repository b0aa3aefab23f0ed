package alphabeta

import (
	"math/bits"

	"warren/game"
)

// mayImmobilize reports whether side might leave the other side without a step
// within the rest of its turn, steps steps. It never denies what is possible.
//
// An enemy with a friend beside it is not frozen, nor is one that no piece of
// side's is stronger than; so every free square that such a one steps to must be
// filled, with a step for each. Excused are those near an enemy that is displaced,
// which may lose the friend, or be captured, by it: they are at most two squares
// away, the friend's own friend having kept it on its trap.
func mayImmobilize(g *game.Game, side game.Color, steps int) bool {
	b := g.Board()
	enemies := b.Color(side.Other())
	unmatched := unmatched(b, side)
	displaced := steps / 2
	if g.Pullable() != 0 {
		displaced = (steps + 1) / 2
	}
	// Who displaces has to come beside the piece first, and then takes two steps.
	reached := b.Color(side) &^ b.Pieces(side, game.Rabbit)
	for range max(steps-1, 1) {
		reached |= neighbors(reached)
	}
	w := ways{
		side:    side.Other(),
		rabbits: b.Pieces(side.Other(), game.Rabbit),
		movable: enemies &^ unmatched & (reached | g.Pullable()),
		free:    ^b.Occupied(),
	}
	return w.blocked(enemies&neighbors(enemies)|unmatched, steps, displaced)
}

// unmatched returns the enemies that no piece of side's is stronger than.
func unmatched(b *game.Board, side game.Color) (pieces uint64) {
	for weaker := range game.Kind(game.NumKinds) {
		k := game.Elephant - weaker
		pieces |= b.Pieces(side.Other(), k)
		if b.Pieces(side, k) != 0 {
			break
		}
	}
	return pieces
}

// ways is how side's pieces can move and be moved.
type ways struct {
	side    game.Color
	rabbits uint64 // which do not step back
	movable uint64 // pieces that can be displaced
	free    uint64 // squares
}

// blocked reports whether so many steps might block the pieces, if displaced
// times they move a piece of side's and excuse those near it.
func (w *ways) blocked(pieces uint64, steps, displaced int) bool {
	to := neighbors(pieces&^w.rabbits) | advances(pieces&w.rabbits, w.side)
	if bits.OnesCount64(to&w.free) <= steps {
		return true
	}
	if displaced == 0 {
		return false
	}
	for from := w.movable; from != 0; from &= from - 1 {
		near := from & -from
		for range 1 + displaced { // the next may be the same piece, a square away
			near |= neighbors(near)
		}
		if w.blocked(pieces&^near, steps, displaced-1) {
			return true
		}
	}
	return false
}
