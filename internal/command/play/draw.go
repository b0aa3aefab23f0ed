package play

import (
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
