package game

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// A diagram is a drawing of the board below the number and side of the turn to be
// played:
//
//	12g
//	 +-----------------+
//	8| r r r r   r r r |
//	7|   d           c |
//	6|     x     x   h |
//	...
//	3|     x     x     |
//	...
//	 +-----------------+
//	   a b c d e f g h
//
// An empty trap is drawn as an x, any other empty square as a space.

const (
	diagramBorder = " +-----------------+"
	diagramFiles  = "   a b c d e f g h"
)

// FormatDiagram draws the board below label, which names the turn to be played as
// [Game.TurnLabel] does. The text ends with a newline.
func FormatDiagram(b *Board, label string) string {
	var text strings.Builder
	text.WriteString(label + "\n" + diagramBorder + "\n")
	for rank := 7; rank >= 0; rank-- {
		text.WriteByte('1' + byte(rank))
		text.WriteByte('|')
		for file := range 8 {
			s := Square(rank<<3 | file)
			letter := byte(' ')
			if c, k, ok := b.At(s); ok {
				letter = PieceLetter(c, k)
			} else if Traps>>s&1 != 0 {
				letter = 'x'
			}
			text.Write([]byte{' ', letter})
		}
		text.WriteString(" |\n")
	}
	text.WriteString(diagramBorder + "\n" + diagramFiles + "\n")
	return text.String()
}

// TurnLabel returns the number and side of the turn being played, such as "12g".
// The setups are 1g and 1s, and the first turns are 2g and 2s. A game made by
// [FromBoard] begins with turn 2 of the side to move.
func (g *Game) TurnLabel() string {
	n := 1
	if !g.InSetup() {
		begun := int(g.turns)
		if begun&1 != int(g.side) {
			begun++ // Silver began
		}
		n = 2 + begun/2
	}
	return strconv.Itoa(n) + string(g.side.Letter())
}

// CutTurnLabel returns a turn without the label that it may begin with, as in
// "12g Ed2n". The error says that it is another turn's label than [Game.TurnLabel].
func (g *Game) CutTurnLabel(text string) (turn string, err error) {
	text = strings.TrimSpace(text)
	label, rest := text, ""
	if i := strings.IndexFunc(text, unicode.IsSpace); i >= 0 {
		label, rest = text[:i], strings.TrimSpace(text[i:])
	}
	if !isTurnLabel(label) {
		return text, nil
	}
	if g.checkTurnLabel(label) != nil {
		return "", fmt.Errorf("%.20s is another turn: this is turn %s", label, g.TurnLabel())
	}
	return rest, nil
}

// parseTurnLabel reads the number and side of a turn, such as "12g".
func parseTurnLabel(text string) (turn int, side Color, err error) {
	n := max(len(text)-1, 0)
	side, err = ParseColor(text[n:])
	if err == nil {
		turn, err = strconv.Atoi(text[:n])
	}
	if err != nil || turn < 1 || text[0] < '1' || text[0] > '9' {
		return 0, 0, fmt.Errorf("%.20q is not a turn: write its number and side, such as 12g", text)
	}
	return turn, side, nil
}
