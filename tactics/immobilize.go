package tactics

import (
	"math/bits"

	"warren/game"
)

// mayImmobilize reports whether side might leave the enemy without a possible
// step within the given number of steps, the rest of its turn. False is
// certain; true may be wrong.
//
// Each step brings one piece to one square, so each enemy piece that can step
// now must have one of these squares beside it. An enemy piece beside a friend is
// not frozen, nor is one that no piece of side's is stronger than: every free
// square that such a piece can step to must be filled. A step fills at most one,
// and so does a push or a pull, which takes two. Pieces that may lose their
// friends when side displaces an enemy piece are excused from both, unless
// nothing can freeze or capture them.
func mayImmobilize(g *game.Game, side game.Color, steps int) bool {
	b := g.Board()
	enemy := side.Other()
	enemies, rabbits, free := b.Color(enemy), b.Pieces(enemy, game.Rabbit), ^b.Occupied()
	unmatched := unmatched(b, side)
	w := ways{
		side:    enemy,
		rabbits: rabbits,
		free:    free,
		movers:  enemies &^ b.Frozen(enemy) & (game.Neighbors(free)&^rabbits | game.RabbitSteps(free, side)&rabbits),
		warm:    enemies&game.Neighbors(enemies) | unmatched,
		trapped: enemies & game.Traps,
		immune:  unmatched &^ game.Traps,
		steps:   steps,
	}
	fills, displaced := steps, steps/2
	if g.Pullable() != 0 {
		// The first pull takes one step only.
		fills, displaced = steps+1, (steps+1)/2
	}
	return w.blocked(0, displaceable(b, side, steps)|g.Pullable(), fills, displaced)
}

// displaceable returns the enemies that side can push or pull within the given
// number of steps, and perhaps others. A stronger piece must first come beside
// them, and then needs two steps.
func displaceable(b *game.Board, side game.Color, steps int) (pieces uint64) {
	var stronger uint64
	for k := game.Elephant; k > game.Rabbit; k-- {
		stronger |= b.Pieces(side, k)
		pieces |= b.Pieces(side.Other(), k-1) & reach(stronger, steps-1)
	}
	return pieces
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

// ways is how side's pieces can move.
type ways struct {
	side    game.Color
	rabbits uint64 // which do not step back
	free    uint64 // empty squares
	movers  uint64 // pieces that can step
	warm    uint64 // pieces that are not frozen as long as they have their friends
	trapped uint64 // pieces on traps
	immune  uint64 // pieces that are neither captured nor frozen, whatever happens to their friends
	steps   int    // of the other side
}

// blocked reports whether all pieces but the excused ones might be unable to
// step if as many free squares are filled as fills says, or one fewer for each
// piece that is displaced. Those are up to displaced of the movable pieces.
func (w *ways) blocked(excused, movable uint64, fills, displaced int) bool {
	pieces := w.warm &^ excused
	to := game.Neighbors(pieces&^w.rabbits) | game.RabbitSteps(pieces&w.rabbits, w.side)
	if bits.OnesCount64(to&w.free) <= fills && w.reached(w.movers&^excused) {
		return true
	}
	for displaced > 0 && movable != 0 {
		piece := movable & -movable
		movable &^= piece
		beside := game.Neighbors(piece)
		// A piece on a trap is captured if it loses its only friend, and then its own friends lose it.
		near := piece | beside | game.Neighbors(beside&w.trapped)
		if w.blocked(excused|near&^w.immune, movable, fills-1, displaced-1) {
			return true
		}
	}
	return false
}

// reached reports whether every mover might have a square beside it that a step
// fills. Two movers have none in common if they are more than two squares apart.
func (w *ways) reached(movers uint64) bool {
	for n := w.steps; movers != 0; n-- {
		if n == 0 {
			return false
		}
		movers &^= reach(movers&-movers, 2)
	}
	return true
}
