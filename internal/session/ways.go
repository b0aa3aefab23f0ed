package session

import (
	"fmt"
	"strings"

	"warren/game"
)

// Ways returns what can be done with the piece on a square, as a person types it: its
// legal steps, and the pushes that it can make, of two steps each.
func Ways(g *game.Game, from game.Square) []string {
	var ways []string
	for _, a := range g.Legal(nil) {
		if a.IsStep() && a.From() == from {
			ways = append(ways, game.FormatTurn(g, []game.Action{a}))
		}
	}
	for _, push := range Pushes(g) {
		if push[1].From() == from {
			ways = append(ways, game.FormatTurn(g, push))
		}
	}
	return ways
}

// Pushes returns the legal pushes, of two steps each: that of the piece that is pushed, and that of
// the piece that takes its place.
func Pushes(g *game.Game) [][]game.Action {
	var pushes [][]game.Action
	enemy := g.Board().Color(g.Side().Other())
	for _, a := range g.Legal(nil) {
		if !a.IsStep() || enemy>>a.From()&1 == 0 {
			continue
		}
		next := g.Clone()
		next.Play(a)
		if _, _, pushing := next.Push(); !pushing {
			continue // a pull, not a push
		}
		for _, b := range next.Legal(nil) {
			pushes = append(pushes, []game.Action{a, b})
		}
	}
	return pushes
}

// WhyNot says why the piece on a square cannot be moved to another one now. To is from
// itself where it cannot be moved at all. WhyNot returns "" if nothing is wrong, or
// nothing stands there.
func WhyNot(g *game.Game, from, to game.Square) string {
	color, kind, ok := g.Board().At(from)
	if !ok || g.InSetup() || g.Result().Over() {
		return ""
	}
	var free error // of a step to a free square
	for d := range game.Direction(4) {
		next := game.StepAction(from, d).To()
		if !adjacent(from, next) {
			continue
		}
		err := g.CheckStep(from, d)
		if next == to {
			return sentence(err)
		}
		if g.Board().Occupied()>>next&1 == 0 {
			free = err
		}
	}
	_, _, pushing := g.Push()
	switch ways := Ways(g, from); {
	case len(ways) == 0 && !pushing && color != g.Side() && g.StepsLeft() > 1:
		return fmt.Sprintf("No %v piece can push or pull the %v on %v now: that takes a stronger piece next to it that is not frozen, and a free square.", g.Side(), kind, from)
	case len(ways) == 0 && free == nil:
		return fmt.Sprintf("No square next to the %v on %v is free.", kind, from)
	case len(ways) == 0:
		return sentence(free)
	case to == from:
		return ""
	case color != g.Side():
		return "A piece is pushed or pulled to a free square next to it."
	}
	left := "the step that is left"
	if n := g.StepsLeft(); n > 1 {
		left = fmt.Sprintf("the %d steps that are left", n)
	}
	return fmt.Sprintf("The %v on %v cannot get to %v by itself in %s.", kind, from, to, left)
}

func adjacent(a, b game.Square) bool {
	files, ranks := a.File()-b.File(), a.Rank()-b.Rank()
	return b < 64 && files*files+ranks*ranks == 1
}

// sentence writes an error as a sentence, and none as "".
func sentence(err error) string {
	if err == nil {
		return ""
	}
	text := err.Error()
	return strings.ToUpper(text[:1]) + text[1:] + "."
}
