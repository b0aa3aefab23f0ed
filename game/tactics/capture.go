package tactics

import (
	"math/bits"

	"warren/game"
)

// captureSteps is the length of the longest captures that are looked for. With four steps a search
// takes longer and plays no better (docs/research/search.md#captures).
const captureSteps = 3

// Captures finds the steps that lead to a capture. Its zero value is ready to use. It is not safe for
// concurrent use.
type Captures struct {
	buf [game.MaxLegal]game.Action
	// none holds hashes of states without a capture in two steps, indexed by their last bits.
	none  [1 << 11]uint64
	steps []int
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
	side, enemies, mark := g.Side(), count(g, g.Side().Other()), g.Mark()
	// The last step moves an enemy piece, and the one before it does not begin a push.
	moving := [1 + captureSteps]uint64{1: g.Board().Color(side.Other()), 2: ^pushed(g), 3: ^uint64(0)}
	for n := 1; n <= min(captureSteps, g.StepsLeft()) && len(c.steps) == 0; n++ {
		first := near(g, n)
		if first.none() || n == 1 && !next(g) {
			continue
		}
		for i, a := range legal {
			if !first.includes(a) || moving[n]>>a.From()&1 == 0 {
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

// pushed returns the pieces whose step begins a push. The step after it finishes the push and
// captures nothing.
func pushed(g *game.Game) uint64 { return g.Board().Color(g.Side().Other()) &^ g.Pullable() }

// second reports whether the step after the next one may capture an enemy piece.
func (c *Captures) second(g *game.Game) bool {
	first := near(g, 2)
	if first.none() {
		return false
	}
	key := g.Hash()
	none := &c.none[key%uint64(len(c.none))]
	if *none == key {
		return false
	}
	side, pushes, mark := g.Side(), pushed(g), g.Mark()
	for _, a := range g.Legal(c.buf[:0]) {
		if !first.includes(a) || pushes>>a.From()&1 != 0 {
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
	for traps, _, _ := trapsBeside(enemy); traps != 0; traps &= traps - 1 {
		trap := traps & -traps
		friend := game.Neighbors(trap) & enemy
		to := trap
		if enemy&trap != 0 {
			to = game.Neighbors(friend)
		}
		if to &^= occupied; to == 0 {
			continue
		}
		if near := game.Neighbors(friend) & occupied &^ enemy; near != 0 && g.StepsLeft() > 1 {
			if near &= above(b, friend); near != 0 && near&^b.Frozen(side) != 0 {
				return true
			}
		}
		if g.Pullable()&friend != 0 {
			if hole, _, _ := g.Pull(); to>>hole&1 != 0 {
				return true
			}
		}
	}
	return false
}

// trapsBeside returns the traps that have one, two, or none of the pieces beside them.
func trapsBeside(pieces uint64) (one, two, none uint64) {
	north, south, east, west := pieces>>8, pieces<<8, pieces>>1, pieces<<1 // no trap is on an edge
	some := north | south | east | west
	several := north&south | east&west | (north|south)&(east|west)
	many := north&south&(east|west) | east&west&(north|south)
	return game.Traps & some &^ several, game.Traps & several &^ many, game.Traps &^ some
}

// above returns the pieces that are stronger than the first of the given ones.
func above(b *game.Board, pieces uint64) uint64 {
	_, kind, _ := b.At(game.Square(bits.TrailingZeros64(pieces)))
	return b.Stronger(kind)
}

// beginnings are the steps with which a capture can begin: those from or to certain squares.
type beginnings struct{ from, to uint64 }

func (b beginnings) none() bool { return b.from|b.to == 0 }

func (b beginnings) includes(a game.Action) bool {
	return a.IsStep() && (b.from>>a.From()|b.to>>a.To())&1 != 0
}

// near returns the steps with which a capture in n steps can begin. They are near a piece that has
// a stronger enemy close enough, and that can be captured or is the friend of a piece that can.
// They include the steps of a piece that unfreezes this enemy. If there are none, n steps cannot
// capture a piece.
//
// A step captures only where a trap has a single enemy piece beside it. The two steps before it can
// bring up a stronger piece, or can be a push or a pull that changes the number of pieces beside
// the trap. The first of two steps is a pull, or one that [approach] returns. The first of three
// moves an enemy piece or allows a pull, or brings a stronger piece near enough for two, unless one
// is there already.
func near(g *game.Game, n int) beginnings {
	pullable := g.Pullable()
	if _, _, ok := g.Push(); ok || pullable != 0 && n != 2 {
		return beginnings{from: ^uint64(0)}
	}
	b, side := g.Board(), g.Side()
	own, enemy := b.Color(side), b.Color(side.Other())
	one, two, none := trapsBeside(enemy)
	single, other := game.Neighbors(one)&enemy, uint64(0)
	if n >= 3 {
		other = (game.Neighbors(two) | game.Neighbors(game.Neighbors(none))) & enemy &^ single
	}
	var alone uint64 // beside a trap without another
	nearer := false  // whether a stronger piece is near enough for a step less
	for ; single != 0; single &= single - 1 {
		if stronger := own & above(b, single); around(single, n)&stronger != 0 {
			alone |= single & -single
			nearer = nearer || around(single, n-1)&stronger != 0
		}
	}
	victims := alone
	for ; other != 0; other &= other - 1 {
		if around(other, n-2)&own&above(b, other) != 0 {
			victims |= other & -other
		}
	}
	if n == 2 {
		first := approach(b, side, victims)
		first.from |= pullable
		return first
	}
	nearby := reach(victims, n)
	if n == 3 && !nearer {
		return beginnings{from: nearby & reach(enemy, 1), to: reach(alone, 2)}
	}
	return beginnings{from: nearby, to: nearby}
}

// approach returns the steps of side's own pieces after which a piece can be captured that could
// not be before, by moving one of the victims. Such a step brings a piece beside the victim, leaves
// a square beside it, so that something can move there, gives a friend to a frozen piece beside
// it, or takes the last friend from a piece that stands in the way on a trap.
func approach(b *game.Board, side game.Color, victims uint64) beginnings {
	beside := game.Neighbors(victims)
	own := b.Color(side) & beside
	frozen := own
	if frozen != 0 {
		frozen &= b.Frozen(side)
	}
	return beginnings{
		from: beside | game.Neighbors(own&game.Traps),
		to:   beside | game.Neighbors(frozen),
	}
}

func count(g *game.Game, c game.Color) int { return bits.OnesCount64(g.Board().Color(c)) }
