package alphabeta

import "warren/game"

// Most steps of a turn commute: four of them that have nothing to do with each
// other come in 24 orders. Of two neighbouring steps that commute, the search
// tries only the order in which the action of the lower number comes first (the
// lexicographic normal form of Mazurkiewicz traces; partial-order reduction).
// The transposition table catches the transpositions that remain, those of
// steps that depend on each other.

// apart is indexed by two steps: bit b of apart[a] is set if they are so far
// from each other that neither bears on the other: no square of one is one of
// the other's or next to it, so that neither frees, freezes or blocks the other,
// and they do not touch the squares of the same trap.
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

// trapsOf returns the traps on or next to the squares.
func trapsOf(squares uint64) uint64 { return (squares | game.Neighbors(squares)) & game.Traps }

// swaps reports whether a, a step of an own piece that no enemy stands beside
// (so that no pull can follow it), commutes with the step before it.
func swaps(a, before game.Action) bool {
	return a < game.Pass && apart[before][a>>6]>>(a&63)&1 != 0
}

// movable returns a if it is a step that a later one may be brought before: of
// an own piece, and not one that finishes a push. Otherwise it is noAction.
func (e *Engine) movable(a game.Action) game.Action {
	g := e.game
	if _, _, pushing := g.Push(); a >= game.Pass || pushing || g.StepsLeft() == 1 || g.Board().Color(g.Side())>>a.From()&1 == 0 {
		return noAction
	}
	return a
}

// ordered tells apart, in a key of the table, what was searched after before.
func ordered(before game.Action) uint64 {
	return (uint64(before) + 1) * 0x9e3779b97f4a7c15
}
