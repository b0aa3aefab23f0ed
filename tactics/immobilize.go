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
	}
	if w.blocked(0, 0, steps) {
		return true
	}
	if pullable := g.Pullable(); pullable != 0 {
		// The first pull takes one step only.
		return w.displaced(0, 0, displaceable(b, side, steps)|pullable, steps+1)
	}
	return w.displaced(0, 0, displaceable(b, side, steps), steps)
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
}

// displaced reports whether all pieces might be unable to step once the other side
// has displaced one more of the movable pieces, or several, within the given number
// of steps. It has displaced the given ones already, which excuses pieces.
func (w *ways) displaced(pieces, excused, movable uint64, steps int) bool {
	if steps < 2 {
		return false
	}
	for movable != 0 {
		piece := movable & -movable
		movable &^= piece
		beside := game.Neighbors(piece)
		// A piece on a trap is captured if it loses its only friend, and then its own friends lose it.
		near := piece | beside | game.Neighbors(beside&w.trapped)
		all, excused := pieces|piece, excused|near&^w.immune
		if w.blocked(all, excused, steps-2) || w.displaced(all, excused, movable, steps-2) {
			return true
		}
	}
	return false
}

// blocked reports whether all pieces but the excused ones might be unable to step
// after the given ones were displaced and as many other steps were made as steps says.
//
// The two steps that displace a piece bring one piece to a free square, at most two
// squares from the piece, and the other to a square that was not free: beside a piece
// that is excused, or where it blocks no more than before.
func (w *ways) blocked(displaced, excused uint64, steps int) bool {
	pieces := w.warm &^ excused
	to := (game.Neighbors(pieces&^w.rabbits) | game.RabbitSteps(pieces&w.rabbits, w.side)) & w.free
	if bits.OnesCount64(to) > steps+bits.OnesCount64(displaced) {
		return false
	}
	movers := w.movers &^ excused
	if displaced != 0 {
		filled := reach(displaced, 2)
		to &^= filled
		movers &^= game.Neighbors(filled)
	}
	return bits.OnesCount64(to) <= steps && reached(movers, steps)
}

// reached reports whether every mover might have a square beside it to which one of
// the steps goes. Two movers have none in common if they are more than two squares
// apart.
func reached(movers uint64, steps int) bool {
	for ; movers != 0; steps-- {
		if steps == 0 {
			return false
		}
		movers &^= reach(movers&-movers, 2)
	}
	return true
}
