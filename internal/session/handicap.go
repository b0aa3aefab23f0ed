package session

import (
	"math/bits"

	"warren/game"
)

// Handicap lists, by colour, the pieces that a side plays without. All sixteen
// pieces are placed in the setup. When both setups are over, the listed pieces are
// gone, and Gold moves first as always.
type Handicap [2][]game.Kind

// squares returns the squares of the pieces that the handicap takes from a board.
// Of several pieces of a kind it takes the one nearest to the corner a1, by rank.
func (h Handicap) squares(b *game.Board) uint64 {
	taken := uint64(0)
	for color, kinds := range h {
		for _, k := range kinds {
			if left := b.Pieces(game.Color(color), k) &^ taken; left != 0 {
				taken |= 1 << bits.TrailingZeros64(left)
			}
		}
	}
	return taken
}

// handicapOf returns the handicap that takes the pieces on the given squares.
func handicapOf(b *game.Board, squares uint64) (h Handicap) {
	for left := squares & b.Occupied(); left != 0; left &= left - 1 {
		color, kind, _ := b.At(game.Square(bits.TrailingZeros64(left)))
		h[color] = append(h[color], kind)
	}
	return h
}
