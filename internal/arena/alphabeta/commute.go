package alphabeta

import "warren/game"

// Most steps of a turn commute: four independent steps can be made in 24 orders.
// Of two consecutive steps that commute, the search tries only the order with
// the lower action first (partial-order reduction; the lexicographic normal form
// of Mazurkiewicz traces). The transposition table catches the remaining
// transpositions, those of steps that depend on each other.

// apart is indexed by two steps: bit b of apart[a] is set if the steps a and b
// are too far apart to affect each other. No square of one is a square of the
// other or next to one, so neither frees, freezes or blocks the other. They
// also touch no squares of the same trap.
var apart = func() (bits [256][4]uint64) {
	for a := range game.Action(256) {
		if !onBoard(a) {
			continue
		}
		sa := uint64(1)<<a.From() | uint64(1)<<a.To()
		for b := range game.Action(256) {
			if !onBoard(b) {
				continue
			}
			sb := uint64(1)<<b.From() | uint64(1)<<b.To()
			if (sa|game.Neighbors(sa))&sb == 0 && trapsOf(sa)&trapsOf(sb) == 0 {
				bits[a][b>>6] |= 1 << (b & 63)
			}
		}
	}
	return bits
}()

func onBoard(a game.Action) bool { return game.Neighbors(1<<a.From())>>a.To()&1 != 0 }

// trapsOf returns the traps that are among the squares or next to them.
func trapsOf(squares uint64) uint64 { return (squares | game.Neighbors(squares)) & game.Traps }

// swaps reports whether the step a commutes with the step before it. The piece
// that makes a must belong to the mover and have no enemy beside it, so that no
// pull can follow.
func swaps(a, before game.Action) bool {
	return a < game.Pass && apart[before][a>>6]>>(a&63)&1 != 0
}

// movable returns a if a later step may be made before it, that is, if a is a
// step of the mover's own piece and does not finish a push. Otherwise it
// returns noAction.
func (e *Engine) movable(a game.Action) game.Action {
	g := e.game
	if _, _, pushing := g.Push(); a >= game.Pass || pushing || g.StepsLeft() == 1 || g.Board().Color(g.Side())>>a.From()&1 == 0 {
		return noAction
	}
	return a
}

// ordered returns the part of a transposition key that represents the step
// before the position.
func ordered(before game.Action) uint64 {
	return (uint64(before) + 1) * 0x9e3779b97f4a7c15
}
