package game

import (
	"fmt"
	"strings"
)

// pieceLetters holds the letters of Gold's pieces in order of strength. Silver's
// are the same letters in lower case.
const pieceLetters = "RCDHME"

// PieceLetter returns the letter of a piece: R, C, D, H, M (camel) or E, in upper
// case for Gold and in lower case for Silver.
func PieceLetter(c Color, k Kind) byte {
	letter := pieceLetters[k]
	if c == Silver {
		letter += 'a' - 'A'
	}
	return letter
}

// parsePiece is the inverse of [PieceLetter].
func parsePiece(letter byte) (c Color, k Kind, ok bool) {
	if i := strings.IndexByte(pieceLetters, letter); i >= 0 {
		return Gold, Kind(i), true
	}
	if i := strings.IndexByte(pieceLetters, letter-('a'-'A')); i >= 0 {
		return Silver, Kind(i), true
	}
	return 0, 0, false
}

// String returns the name of the kind, "rabbit" to "elephant".
func (k Kind) String() string {
	if k >= NumKinds {
		return "unknown"
	}
	return [NumKinds]string{"rabbit", "cat", "dog", "horse", "camel", "elephant"}[k]
}

// ParseSquare reads the name of a square, "a1" to "h8".
func ParseSquare(text string) (Square, error) {
	if len(text) != 2 || text[0] < 'a' || text[0] > 'h' || text[1] < '1' || text[1] > '8' {
		return 0, fmt.Errorf("%.20q is not a square: write a file a to h and a rank 1 to 8, such as d2", text)
	}
	return Square(text[1]-'1')<<3 | Square(text[0]-'a'), nil
}

// ParseColor reads the letter of a side: g for Gold or s for Silver. It also reads
// the w and b of files from before 2008.
func ParseColor(text string) (Color, error) {
	switch text {
	case "g", "w":
		return Gold, nil
	case "s", "b":
		return Silver, nil
	}
	return 0, fmt.Errorf("%.20q is not a side: write g for Gold or s for Silver", text)
}

// Letter returns the letter of the side in notation: 'g' or 's'.
func (c Color) Letter() byte { return "gs"[c&1] }
