package net

import (
	"math/bits"

	"warren/game"
)

// Bits is an encoded position in a few hundred bytes, for a device that expands it
// itself: plane p is Values[p] on the squares of Squares[p], and 0 elsewhere.
type Bits struct {
	Squares [NumPlanes]uint64
	Values  [NumPlanes]float32
}

// EncodeBits writes the input of the network for the state g to b.
func EncodeBits(g *game.Game, b *Bits) {
	side, board := g.Side(), g.Board()
	setup := g.InSetup()
	b.Squares = [NumPlanes]uint64{}
	for p := range b.Values {
		b.Values[p] = 1
	}
	all := func(p int) { b.Squares[p] = ^uint64(0) }
	mark := func(p int, set uint64) {
		if side == game.Silver {
			set = bits.ReverseBytes64(set)
		}
		b.Squares[p] = set
	}

	all(planeOnes)
	mark(planeTraps, game.Traps)
	for k := range game.Kind(game.NumKinds) {
		mark(planeOwn+int(k), board.Pieces(side, k))
		mark(planeEnemy+int(k), board.Pieces(side.Other(), k))
	}
	mark(planeOwnFrozen, board.Frozen(side))
	mark(planeEnemyFrozen, board.Frozen(side.Other()))
	if setup {
		all(planeSetup)
		for k := range game.Kind(game.NumKinds) {
			all(planeSetupLeft + int(k))
			b.Values[planeSetupLeft+int(k)] = float32(g.SetupLeft(k)) / float32(game.SetupCount(k))
		}
		mark(planeSetupNext, 1<<g.SetupSquare())
		return
	}
	if n := g.StepsLeft(); n >= 1 && n <= 4 {
		all(planeStepsLeft + n - 1)
	}
	if g.Repetitions() > 0 {
		all(planeRepeated)
	}
	switch g.EndRepetitions() {
	case 0:
	case 1:
		all(planeEndTwice)
	default:
		all(planeEndThrice)
	}
	mark(planeChanged, g.Changed())
	if hole, pushed, ok := g.Push(); ok {
		mark(planePushHole, 1<<hole)
		mark(planePushed, 1<<hole)
		b.Values[planePushed] = float32(pushed+1) / game.NumKinds
	}
	if hole, _, ok := g.Pull(); ok {
		mark(planePullHole, 1<<hole)
		mark(planePullable, g.Pullable())
	}
}

// Mirror replaces the position by its left-right mirror image, which is the encoding of the mirrored
// position. Positions in the setup have no mirror image in the game, because the squares are
// always filled from file a on.
func (b *Bits) Mirror() {
	for p, set := range b.Squares {
		b.Squares[p] = bits.ReverseBytes64(bits.Reverse64(set))
	}
}

// Expand writes the position to x, which has at least InputSize elements, as Encode does.
func (b *Bits) Expand(x []float32) {
	x = x[:InputSize]
	clear(x)
	for p, set := range b.Squares {
		for v := b.Values[p]; set != 0; set &= set - 1 {
			x[bits.TrailingZeros64(set)*NumPlanes+p] = v
		}
	}
}
