package tactics

import (
	"math/bits"

	"warren/game"
)

// mayImmobilize reports whether side might leave the enemy without a possible
// step within the given number of steps, the rest of its turn. Pullable is as in
// [MayGoal]. False is certain; true may be wrong.
//
// Each step brings one piece to one square, so each enemy piece that can step now must have one of
// these squares beside it. An enemy piece is not frozen if it is beside a friend, or if side has no
// stronger piece. Every free square to which such a piece can step must then be filled. A step
// fills at most one square. A push or a pull also fills at most one, but takes two steps.
//
// Pieces that may lose their friends when side displaces an enemy piece are excused from both
// conditions, unless nothing can freeze or capture them. Such a piece is beside the displaced
// piece, or beside a piece on a trap that is. A displacement takes two steps. Among pieces that are
// more than two squares apart it stops no more than two steps do, except around a trap.
func mayImmobilize(b *game.Board, side game.Color, steps int, pullable uint64) bool {
	most := steps
	if pullable != 0 {
		most++ // the first pull takes one step only
	}
	movers, may := mayStop(b, side, most)
	if !may {
		return false
	}
	enemies, unmatched := b.Color(side.Other()), unmatched(b, side)
	w := ways{
		side:    side.Other(),
		rabbits: b.Pieces(side.Other(), game.Rabbit),
		free:    ^b.Occupied(),
		movers:  movers,
		warm:    enemies&game.Neighbors(enemies) | unmatched,
		trapped: enemies & game.Traps,
		immune:  unmatched &^ game.Traps,
	}
	return w.blocked(displaced{}, steps) || most >= 2 && w.displace(displaced{}, displaceable(b, side, steps)|pullable, most)
}

// mayStop returns the enemies that can step, and whether side might bring a piece beside each of
// them within the given number of steps. False is certain.
func mayStop(b *game.Board, side game.Color, steps int) (movers uint64, may bool) {
	enemy := side.Other()
	enemies, rabbits, free := b.Color(enemy), b.Pieces(enemy, game.Rabbit), ^b.Occupied()
	movers = enemies &^ b.Frozen(enemy) & (game.Neighbors(free)&^rabbits | game.RabbitSteps(free, side)&rabbits)
	return movers, reached(movers, steps+min(steps/2, bits.OnesCount64(enemies&game.Traps)))
}

// decidingMovers returns the squares that decide which enemies can step: a step of side's that moves
// nothing from or to one of them changes that for no enemy, and allows no pull. Nor does what it
// captures stand beside one.
func decidingMovers(b *game.Board, side game.Color) uint64 {
	return reach(b.Color(side.Other()), 1) | game.Neighbors(b.Color(side)&game.Traps)
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
func unmatched(b *game.Board, side game.Color) uint64 {
	strongest := game.Elephant
	for strongest > game.Rabbit && b.Pieces(side, strongest) == 0 {
		strongest--
	}
	enemies := b.Color(side.Other())
	if strongest == game.Rabbit {
		return enemies
	}
	return enemies & b.Stronger(strongest-1)
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

// displaced is what the other side may have done by displacing some pieces.
type displaced struct {
	pieces  int
	excused uint64 // pieces that may have lost their friends
	stopped uint64 // pieces that may be unable to step, the excused ones among them
	filled  uint64 // free squares that may be filled, one for each displaced piece
}

// and adds the displacement of one more piece.
//
// Two steps displace a piece. They bring one piece to a free square, at most two
// squares away, and another to a square that was not free: beside pieces that are
// excused, or where it blocks no more than before.
func (d displaced) and(piece uint64, w *ways) displaced {
	beside := game.Neighbors(piece)
	// A piece on a trap is captured if it loses its only friend, and then its own friends lose it.
	excused := (piece | beside | game.Neighbors(beside&w.trapped)) &^ w.immune
	return displaced{
		pieces:  d.pieces + 1,
		excused: d.excused | excused,
		stopped: d.stopped | excused | around(piece, 3),
		filled:  d.filled | around(piece, 2),
	}
}

// displace reports whether all pieces might be unable to step once the other side
// has displaced one more of the movable pieces, or several, within the given number
// of steps.
func (w *ways) displace(d displaced, movable uint64, steps int) bool {
	if steps < 2 {
		return false
	}
	if left := w.movers &^ d.stopped; steps == 2 && left != 0 {
		movable &= around(left, 3) // no other step stops them
	}
	for ; movable != 0; movable &= movable - 1 {
		d := d.and(movable&-movable, w)
		if w.blocked(d, steps-2) || w.displace(d, movable&(movable-1), steps-2) {
			return true
		}
	}
	return false
}

// blocked reports whether all pieces except the excused ones might be unable to
// step after the given number of further steps. Each step fills a square.
func (w *ways) blocked(d displaced, steps int) bool {
	if !reached(w.movers&^d.stopped, steps) {
		return false
	}
	warm := w.warm &^ d.excused
	to := (game.Neighbors(warm&^w.rabbits) | game.RabbitSteps(warm&w.rabbits, w.side)) & w.free
	return bits.OnesCount64(to) <= steps+d.pieces && bits.OnesCount64(to&^d.filled) <= steps
}

// reached reports whether every mover might have a square beside it to which one of
// the steps goes. Two movers have none in common if they are more than two squares
// apart.
func reached(movers uint64, steps int) bool {
	for ; movers != 0; steps-- {
		if steps == 0 {
			return false
		}
		movers &^= around(movers, 2)
	}
	return true
}

// around returns the squares at most n steps from the first of the pieces, for n up to 3.
func around(pieces uint64, n int) uint64 { return neighborhoods[n][bits.TrailingZeros64(pieces)&63] }

var neighborhoods = func() (n [4][64]uint64) {
	for steps := range n {
		for s := range n[steps] {
			n[steps][s] = reach(1<<s, steps)
		}
	}
	return n
}()
