package play

import (
	"math/bits"
	"strings"

	"warren/game"
)

// Escape sequences of a terminal's colours (ECMA-48, select graphic rendition).
const (
	goldOn   = "\x1b[1;33m"
	silverOn = "\x1b[1;36m"
	trapOn   = "\x1b[31m"
	plain    = "\x1b[0m"
)

// draw returns the board as text, in colour or not.
func draw(g *game.Game, color bool) string {
	diagram := game.FormatDiagram(g.Board(), g.TurnLabel())
	if !color {
		return diagram
	}
	var text strings.Builder
	for line := range strings.Lines(diagram) {
		if !strings.HasSuffix(line, "|\n") {
			text.WriteString(line)
			continue
		}
		for _, letter := range line {
			switch {
			case letter == 'x':
				text.WriteString(trapOn + "x" + plain)
			case letter >= 'A' && letter <= 'Z':
				text.WriteString(goldOn + string(letter) + plain)
			case letter >= 'a' && letter <= 'z':
				text.WriteString(silverOn + string(letter) + plain)
			default:
				text.WriteRune(letter)
			}
		}
	}
	return text.String()
}

// gone lists the pieces that each side no longer has, the strongest first. In the setup it
// returns "".
func gone(g *game.Game) string {
	var words []string
	for side := game.Gold; side <= game.Silver && !g.InSetup(); side++ {
		var letters []byte
		for k := game.Elephant; ; k-- {
			for range game.SetupCount(k) - bits.OnesCount64(g.Board().Pieces(side, k)) {
				letters = append(letters, game.PieceLetter(side, k))
			}
			if k == game.Rabbit {
				break
			}
		}
		if len(letters) > 0 {
			words = append(words, string(letters))
		}
	}
	return strings.Join(words, " ")
}
