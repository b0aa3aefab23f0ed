package alphabeta

import (
	"math/bits"

	"warren/game"
)

const (
	fileA uint64 = 0x0101010101010101
	fileH uint64 = fileA << 7
	rank1 uint64 = 0xff
	rank8 uint64 = rank1 << 56
)

// neighbors returns the squares next to any square of b.
func neighbors(b uint64) uint64 {
	return b<<8 | b>>8 | (b&^fileH)<<1 | (b&^fileA)>>1
}

// advances returns the squares that rabbits of c on b step to, if free.
func advances(b uint64, c game.Color) uint64 {
	sideways := (b&^fileH)<<1 | (b&^fileA)>>1
	if c == game.Gold {
		return b<<8 | sideways
	}
	return b>>8 | sideways
}

// goalRank is where a side's rabbits win.
func goalRank(c game.Color) uint64 {
	if c == game.Gold {
		return rank8
	}
	return rank1
}

// goalZone returns the squares at most steps ranks from c's goal.
func goalZone(c game.Color, steps int) uint64 {
	if steps >= 7 {
		return ^uint64(0)
	}
	if c == game.Gold {
		return ^uint64(0) << (8 * (7 - steps))
	}
	return ^uint64(0) >> (8 * (7 - steps))
}

// goalWithin reports whether a rabbit of c might reach its goal in that many
// steps of c, 0 to 4. It never denies a goal that is possible, and costs a few
// dozen bit operations.
//
// Each rabbit near enough flows forward and sideways. Entering a square that a
// friend stands on takes a step more, for the friend to leave it; one that an
// enemy stands on takes two. Leaving a cold square, where a stronger enemy and
// no friend is beside it, takes a step more, as does entering a trap that no
// friend guards; but one helper can warm several squares, and the step that
// warms may also be the first of those that clear the way.
//
// The enemies on drawn can be pulled away with one step, their puller having
// made the other.
func goalWithin(b *game.Board, c game.Color, steps int, drawn uint64) bool {
	near := b.Pieces(c, game.Rabbit) & goalZone(c, steps)
	if near == 0 {
		return false
	}
	var (
		goal     = goalRank(c)
		all      = b.Color(c)
		occupied = b.Occupied()
		enemy    = occupied &^ all &^ drawn
		freezing = neighbors((enemy | drawn) &^ b.Pieces(c.Other(), game.Rabbit))
	)
	for ; near != 0; near &= near - 1 {
		rabbit := near & -near
		var (
			own    = all &^ rabbit
			first  = own | drawn // leave with one step
			empty  = ^occupied | rabbit
			warm   = neighbors(own)
			cold   = freezing &^ warm
			deadly = game.Traps &^ warm
			// Squares reached in so many steps (index 3 and up): by the rabbit
			// alone, with a helper whose step may yet serve to clear the way, and
			// with the way cleared.
			alone, helped, cleared [8]uint64
		)
		alone[3] = rabbit
		if rabbit&goal != 0 {
			return true
		}
		for n := 4; n <= 3+steps; n++ {
			alone[n] = advances(alone[n-1]&^cold, c) & empty &^ deadly
			helped[n] = alone[n-1]&cold | (advances(alone[n-2]&^cold, c)&deadly|advances(helped[n-1], c))&empty
			cleared[n] = advances(alone[n-2]|cleared[n-2]|helped[n-1], c)&first |
				advances(alone[n-3]|cleared[n-3]|helped[n-2], c)&enemy | advances(cleared[n-1], c)&empty
			if (alone[n]|helped[n]|cleared[n])&goal != 0 {
				return true
			}
		}
	}
	return false
}

// finder looks for a turn that wins at once.
type finder struct {
	// immobilize asks for wins by immobilization too.
	immobilize bool
	// steps counts those that were made, and limit is when to give up; 0 is never.
	steps, limit int64
	// failed holds the hashes of states that do not win, at their last digits.
	failed [1 << 12]uint64
	bufs   [5][maxLegal]game.Action
	turn   []game.Action // the winning actions found
}

// Winning returns actions with which the side to move wins within the present
// turn, by goal, elimination or immobilization, or nil if there are none. Where
// a few bit operations tell that no rabbit comes to its goal, that the enemy has
// rabbits enough and that it will not be left without a step, nothing is
// searched.
func Winning(g *game.Game) []game.Action {
	if g.InSetup() || g.Result().Over() {
		return nil
	}
	f := finder{immobilize: true}
	if !f.find(g) {
		return nil
	}
	return f.turn
}

// find searches the rest of the turn, depth first, as far as it may win.
func (f *finder) find(g *game.Game) bool {
	f.turn = f.turn[:0]
	return f.search(g)
}

func (f *finder) search(g *game.Game) bool {
	side, left := g.Side(), g.StepsLeft()
	elsewise := f.elsewise(g, side, left)
	if !elsewise && !goalWithin(g.Board(), side, left, g.Pullable()) {
		return false
	}
	// The last step of a turn that can only win by a goal is one into it.
	target := ^uint64(0)
	if goal := goalRank(side); left == 1 && !elsewise && g.Board().Pieces(side, game.Rabbit)&goal == 0 {
		target = goal
	}
	key := g.Hash()
	failed := &f.failed[key%uint64(len(f.failed))]
	if *failed == key {
		return false
	}
	mark := g.Mark()
	legal := g.Legal(f.bufs[left][:0])
	for i := len(legal) - 1; i >= 0; i-- { // Pass first
		a := legal[i]
		if target != ^uint64(0) && (a == game.Pass || target>>a.To()&1 == 0) {
			continue
		}
		if f.steps == f.limit && f.limit > 0 {
			return false
		}
		f.steps++
		g.Play(a)
		f.turn = append(f.turn, a)
		won := false
		if g.Side() != side {
			r := g.Result()
			won = r.Over() && r.Winner == side
		} else {
			won = f.search(g)
		}
		g.Restore(mark)
		if won {
			return true
		}
		f.turn = f.turn[:len(f.turn)-1]
	}
	if f.steps < f.limit || f.limit == 0 {
		*failed = key
	}
	return false
}

// elsewise reports whether the turn might win by other ways than a goal. Every
// capture takes two steps, one of them the enemy's piece's.
func (f *finder) elsewise(g *game.Game, side game.Color, left int) bool {
	b := g.Board()
	captures := left / 2
	if g.Pullable() != 0 {
		captures = (left + 1) / 2
	}
	return bits.OnesCount64(b.Pieces(side.Other(), game.Rabbit)) <= captures ||
		f.immobilize && mayImmobilize(g, side, left)
}
