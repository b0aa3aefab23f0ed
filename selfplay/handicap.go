package selfplay

import (
	"math/bits"
	"math/rand/v2"

	"warren/game"
)

// takeAway removes the missing pieces of the game after the setup. If the game is meant to have a
// handicap, it first draws these pieces.
func (e *episode) takeAway() {
	if e.handicap {
		e.record.Missing = drawMissing(e.rng, e.game().Board(), e.config.HandicapPieces)
	}
	if e.record.Missing == 0 {
		return
	}
	g := game.Handicapped(e.game(), e.record.Missing)
	for _, p := range e.distinct() {
		p.search.Reset(g)
	}
}

// drawMissing returns the squares of 1 to most pieces of one side, of which at least one rabbit stays.
// The sides and the numbers are equally likely.
func drawMissing(rng *rand.Rand, b *game.Board, most int) (missing uint64) {
	side := game.Color(rng.IntN(2))
	left, rabbits := b.Color(side), b.Pieces(side, game.Rabbit)
	for range 1 + rng.IntN(most) {
		from := left
		if bits.OnesCount64(rabbits&left) == 1 {
			from &^= rabbits
		}
		lost := nth(from, rng.IntN(bits.OnesCount64(from)))
		left &^= lost
		missing |= lost
	}
	return missing
}

// nth returns the set bit of squares that has n set bits below it.
func nth(squares uint64, n int) uint64 {
	for range n {
		squares &= squares - 1
	}
	return squares & -squares
}
