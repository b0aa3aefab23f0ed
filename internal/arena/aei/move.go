package aei

import (
	"slices"
	"strings"

	"warren/game"
)

// ParseMove reads a whole turn or setup that is to be played from g, as makemove
// and bestmove hold it. It accepts what [game.ParseTurn] does, and also turns
// without any of their captures, which some engines write.
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

// withCaptures adds the captures to the steps of a turn that names none. It
// reports false if the turn names a capture, or if a step is not legal.
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

// formatLine writes a line of play from g over any number of turns, as info pv
// has it: each turn but the first follows the letter of the side that plays it.
func formatLine(g *game.Game, actions []game.Action) string {
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
