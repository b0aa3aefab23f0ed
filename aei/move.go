package aei

import (
	"slices"
	"strings"

	"warren/game"
)

// ParseMove reads a whole turn or setup, to be played from g, as makemove and
// bestmove hold it. It is read as [game.ParseTurn] does, but all of its
// captures may be left out, as some engines do.
func ParseMove(g *game.Game, text string) ([]game.Action, error) {
	turn, err := game.ParseTurn(g, text)
	if err == nil {
		return turn, nil
	}
	if full, ok := withCaptures(g, text); ok {
		return game.ParseTurn(g, full)
	}
	return nil, err
}

// withCaptures writes the steps of a turn that names no capture with those that
// they cause. It reports false where there is a capture already, or where a
// step is not legal.
func withCaptures(g *game.Game, text string) (string, bool) {
	var (
		actions []game.Action
		play    = g.Clone()
	)
	for word := range strings.FieldsSeq(text) {
		if len(word) < 4 {
			return "", false
		}
		from, err := game.ParseSquare(word[1:3])
		if err != nil {
			return "", false
		}
		for _, letter := range []byte(word[3:]) {
			d := strings.IndexByte("nesw", letter)
			if d < 0 || play.Turns() != g.Turns() {
				return "", false
			}
			c, k, ok := play.Board().At(from)
			a := game.StepAction(from, game.Direction(d))
			if !ok || game.PieceLetter(c, k) != word[0] || !slices.Contains(play.Legal(nil), a) {
				return "", false
			}
			actions = append(actions, a)
			play.Play(a)
			from = a.To()
		}
	}
	return game.FormatTurn(g, actions), true
}

// FormatLine writes a line of play from g over any number of turns, as info pv
// has it: before each turn but the first stands the letter of the side that
// plays it.
func FormatLine(g *game.Game, actions []game.Action) string {
	var words []string
	play := g.Clone()
	for len(actions) > 0 {
		side, begin, n := play.Side(), play.Clone(), 0
		for n < len(actions) && play.Side() == side {
			play.Play(actions[n])
			n++
		}
		if len(words) > 0 {
			words = append(words, string(side.Letter()))
		}
		words = append(words, game.FormatTurn(begin, actions[:n]))
		actions = actions[n:]
	}
	return strings.Join(words, " ")
}
