package play

import (
	"cmp"
	"fmt"
	"strings"

	"warren/game"
	"warren/internal/plural"
	"warren/internal/session"
)

// shown is how many steps of an advice are listed.
const shown = 6

// describe writes an advice about the position of g.
func describe(a *session.Advice, g *game.Game) string {
	var text strings.Builder
	fmt.Fprintf(&text, "%s: %v wins with %.1f%% (the network alone says %.1f%%)\n", plural.Of(a.Visits, "visit"), g.Side(), 100*a.Value, 100*a.Network)
	fmt.Fprintf(&text, "  visits       Q   prior  %s\n", map[bool]string{true: "placement", false: "step"}[g.InSetup()])
	for _, s := range a.Steps[:min(shown, len(a.Steps))] {
		q := "      -"
		if s.Visits > 0 {
			q = fmt.Sprintf("%6.1f%%", 100*s.Q)
		}
		fmt.Fprintf(&text, "  %6d %s %6.1f%%  %s\n", s.Visits, q, 100*s.Prior, name(g, s.Action))
	}
	if !g.InSetup() {
		fmt.Fprintf(&text, "  expected: %s\n", game.FormatLine(g, a.Line))
	}
	fmt.Fprintf(&text, "  play: %s", game.FormatTurn(g, a.Turn))
	if a.Wins {
		text.WriteString(", which wins at once")
	}
	text.WriteString("\n")
	return text.String()
}

// name returns an action as it is typed.
func name(g *game.Game, a game.Action) string {
	return cmp.Or(game.FormatTurn(g, []game.Action{a}), "end")
}
