package game

import (
	"fmt"
	"math/bits"
	"strings"
)

// In the short notation a board is written as 64 characters, rank 8 first, each
// rank from file a to h. An empty square is a space, or a full stop where spaces
// could get lost.

// String returns the board as 64 characters, a8 to h8 first and a1 to h1 last, with
// '.' for an empty square.
func (b Board) String() string { return string(b.appendText(nil, '.')) }

func (b *Board) appendText(text []byte, empty byte) []byte {
	for i := range Square(64) {
		letter := empty
		if c, k, ok := b.At(i ^ 56); ok {
			letter = PieceLetter(c, k)
		}
		text = append(text, letter)
	}
	return text
}

// ParseBoard reads a board of 64 characters, a8 to h8 first and a1 to h1 last, with
// a space or '.' for an empty square. It refuses boards that no game has at the end
// of a step: a side must not have more pieces of a kind than it begins with, and a
// piece on a trap must have a friendly piece next to it.
func ParseBoard(text string) (Board, error) {
	if len(text) != 64 {
		return Board{}, fmt.Errorf("a board is 64 characters, a8 to h8 first and a1 to h1 last, but there are %d", len(text))
	}
	var b Board
	for i := range Square(64) {
		s, letter := i^56, text[i]
		if letter == ' ' || letter == '.' {
			continue
		}
		c, k, ok := parsePiece(letter)
		if !ok {
			return Board{}, fmt.Errorf("square %v: %q is not a piece: use RCDHME, rcdhme and a space or '.' for empty", s, letter)
		}
		b.Put(s, c, k)
	}
	return b, b.check()
}

// check returns an error if the board is one of those that [ParseBoard] refuses.
// Step generation relies on the traps: no push loses its pusher, because moving
// an enemy piece takes no friend from the mover's own.
func (b *Board) check() error {
	for c := Gold; c <= Silver; c++ {
		for k := Rabbit; k <= Elephant; k++ {
			if n := bits.OnesCount64(b.Pieces(c, k)); n > SetupCount(k) {
				return fmt.Errorf("the board has %d %vs of %v: there can be at most %d", n, k, c, SetupCount(k))
			}
		}
	}
	if dead := b.trapped(); dead != 0 {
		s := Square(bits.TrailingZeros64(dead))
		c, k, _ := b.At(s)
		return fmt.Errorf("the %v of %v on the trap %v has been captured: no friendly piece is next to it", k, c, s)
	}
	return nil
}

// ParsePosition reads a position in short notation, such as "g [rrr...]": the side
// to move and, in brackets, the board as [ParseBoard] reads it.
func ParsePosition(text string) (Board, Color, error) {
	text = strings.TrimSpace(text)
	letter, board, found := strings.Cut(text, "[")
	board, closed := strings.CutSuffix(board, "]")
	if !found || !closed {
		return Board{}, 0, fmt.Errorf("a position is the side to move and 64 squares in brackets, as in g [rrrr...]: no brackets found")
	}
	side, err := ParseColor(strings.TrimSpace(letter))
	if err != nil {
		return Board{}, 0, fmt.Errorf("side to move: %w", err)
	}
	b, err := ParseBoard(board)
	return b, side, err
}

// FormatPosition writes a position in short notation, with a space for an empty
// square. [ParsePosition] reads it back.
func FormatPosition(b *Board, side Color) string {
	text := append([]byte{side.Letter()}, " ["...)
	return string(append(b.appendText(text, ' '), ']'))
}
