package tactics

import (
	"math/bits"

	"warren/game"
)

// mayImmobilize reports whether side might leave the enemy without a possible
// step within the given number of steps, the rest of its turn. False is
// certain; true may be wrong.
//
// An enemy piece beside a friend is not frozen, nor is one that no piece of
// side's is stronger than. So every free square that such a piece can step to
// must be filled, and each takes a step. Pieces near an enemy piece that side
// displaces are excused, because they may lose their friend or be captured.
// They are at most two squares away: a piece on a trap is held there by its own
// neighbour.
func mayImmobilize(g *game.Game, side game.Color, steps int) bool {
	b := g.Board()
	enemies := b.Color(side.Other())
	unmatched := unmatched(b, side)
	displaced := steps / 2
	if g.Pullable() != 0 {
		displaced = (steps + 1) / 2
	}
	// A piece that displaces another must first come beside it, and then needs
	// two steps.
	reached := b.Color(side) &^ b.Pieces(side, game.Rabbit)
	for range max(steps-1, 1) {
		reached |= game.Neighbors(reached)
	}
	w := ways{
		side:    side.Other(),
		rabbits: b.Pieces(side.Other(), game.Rabbit),
		movable: enemies &^ unmatched & (reached | g.Pullable()),
		free:    ^b.Occupied(),
	}
	return w.blocked(enemies&game.Neighbors(enemies)|unmatched, steps, displaced)
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
	movable uint64 // pieces that the other side can displace
	free    uint64 // empty squares
}

// blocked reports whether the given number of steps might block the pieces, if
// up to displaced times one of side's pieces is displaced and those near it are
// excused.
func (w *ways) blocked(pieces uint64, steps, displaced int) bool {
	to := game.Neighbors(pieces&^w.rabbits) | game.RabbitSteps(pieces&w.rabbits, w.side)
	if bits.OnesCount64(to&w.free) <= steps {
		return true
	}
	if displaced == 0 {
		return false
	}
	for from := w.movable; from != 0; from &= from - 1 {
		near := from & -from
		for range 1 + displaced { // the next one may be the same piece, a square away
			near |= game.Neighbors(near)
		}
		if w.blocked(pieces&^near, steps, displaced-1) {
			return true
		}
	}
	return false
}
