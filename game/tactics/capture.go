package tactics

import (
	"math/bits"

	"warren/game"
)

// captureSteps is the length of the longest captures that are looked for. With four steps a search
// takes longer and plays no better (docs/experiments/captures.md).
const captureSteps = 3

// Captures finds the steps that lead to a capture. Its zero value is ready to use. It is not safe for
// concurrent use.
type Captures struct {
	buf [game.MaxLegal]game.Action
	// none holds hashes of states without a capture in two steps, indexed by their last bits.
	none   [1 << 11]uint64
	steps  []int
	priors []float32
}

// Find returns the indices in legal, the legal actions of g, of the steps that begin the shortest
// captures of the turn, if there are captures of up to three steps. After such a step an enemy
// piece can be captured in as few further steps as possible. A push captures with its first step,
// in which the enemy piece moves. The indices are overwritten by the next call; g is left as it
// was.
func (c *Captures) Find(g *game.Game, legal []game.Action) []int {
	c.steps = c.steps[:0]
	if g.InSetup() {
		return nil
	}
	side := g.Side()
	enemies, mark := count(g, side.Other()), g.Mark()
	for n := 1; n <= min(captureSteps, g.StepsLeft()) && len(c.steps) == 0; n++ {
		near := near(g, n)
		if near == 0 || n == 1 && !next(g) {
			continue
		}
		for i, a := range legal {
			if !a.IsStep() || near>>a.From()&1 == 0 {
				continue
			}
			g.Play(a)
			if n == 1 && count(g, side.Other()) < enemies || g.Side() == side && (n == 2 && next(g) || n == 3 && c.second(g)) {
				c.steps = append(c.steps, i)
			}
			g.Restore(mark)
		}
	}
	return c.steps
}

// second reports whether the step after the next one may capture an enemy piece.
func (c *Captures) second(g *game.Game) bool {
	near := near(g, 2)
	if near == 0 {
		return false
	}
	key := g.Hash()
	none := &c.none[key%uint64(len(c.none))]
	if *none == key {
		return false
	}
	side, mark := g.Side(), g.Mark()
	for _, a := range g.Legal(c.buf[:0]) {
		if !a.IsStep() || near>>a.From()&1 == 0 {
			continue
		}
		g.Play(a)
		captures := g.Side() == side && next(g)
		g.Restore(mark)
		if captures {
			return true
		}
	}
	*none = key
	return false
}

// next reports whether one more step captures an enemy piece: the only friend of a piece on a trap
// leaves it, or a piece is moved to a trap without a friend.
func next(g *game.Game) bool {
	if _, _, ok := g.Push(); ok {
		return false
	}
	b, side := g.Board(), g.Side()
	enemy, occupied := b.Color(side.Other()), b.Occupied()
	pullable := g.Pullable()
	var pushers uint64
	if g.StepsLeft() > 1 {
		pushers = b.Color(side) &^ b.Frozen(side)
	}
	for traps := game.Traps; traps != 0; traps &= traps - 1 {
		trap := traps & -traps
		friends := game.Neighbors(trap) & enemy
		if friends == 0 || friends&(friends-1) != 0 {
			continue
		}
		to := trap
		if enemy&trap != 0 {
			to = game.Neighbors(friends)
		}
		if to &^= occupied; to == 0 {
			continue
		}
		if near := game.Neighbors(friends) & pushers; near != 0 && near&above(b, friends) != 0 {
			return true
		}
		if pullable&friends != 0 {
			if hole, _, _ := g.Pull(); to>>hole&1 != 0 {
				return true
			}
		}
	}
	return false
}

// above returns the pieces that are stronger than the one on the given square.
func above(b *game.Board, square uint64) (pieces uint64) {
	_, kind, _ := b.At(game.Square(bits.TrailingZeros64(square)))
	for k := kind + 1; k <= game.Elephant; k++ {
		pieces |= b.Pieces(game.Gold, k) | b.Pieces(game.Silver, k)
	}
	return pieces
}

// near returns the squares on which the steps of a capture in n steps can begin. They are the
// squares near a piece that has a stronger enemy close enough, and that can be captured or is the
// friend of a piece that can. They include the squares of a piece that unfreezes this enemy. If
// there are none, n steps cannot capture a piece.
//
// A step captures only where a trap has a single enemy piece beside it. The two steps before it can
// bring up a stronger piece, or can be a push or a pull that changes the number of pieces beside
// the trap.
func near(g *game.Game, n int) uint64 {
	if _, _, ok := g.Push(); ok || g.Pullable() != 0 {
		return ^uint64(0)
	}
	b, side := g.Board(), g.Side()
	enemy := b.Color(side.Other())
	var single, other uint64
	for traps := game.Traps; traps != 0; traps &= traps - 1 {
		beside := game.Neighbors(traps & -traps)
		switch friends := beside & enemy; bits.OnesCount64(friends) {
		case 0:
			other |= enemy & game.Neighbors(beside)
		case 1:
			single |= friends
		case 2:
			other |= friends
		}
	}
	if n < 3 {
		other = 0
	}
	if single|other == 0 {
		return 0
	}
	var victims, stronger uint64
	for k := game.Elephant; k > game.Rabbit; k-- {
		stronger |= b.Pieces(side, k)
		weaker := b.Pieces(side.Other(), k-1)
		victims |= weaker & (single&reach(stronger, n) | other&reach(stronger, n-2))
	}
	return reach(victims, n+1)
}

func count(g *game.Game, c game.Color) int { return bits.OnesCount64(g.Board().Color(c)) }
