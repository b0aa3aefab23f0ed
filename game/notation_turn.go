package game

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"strings"
)

// FormatTurn writes the turn, or the part of a turn, that actions play from g.
// Each step is followed by the pieces that it captures, as in "Ed2n rc4s rc3x". A
// setup is written as its placements. Pass is not written. The actions must be
// legal; FormatTurn does not check them. It leaves g unchanged.
func FormatTurn(g *Game, actions []Action) string {
	var text []byte
	play := g.Clone()
	for _, a := range actions {
		if a == Pass {
			play.Play(a)
			continue
		}
		if len(text) > 0 {
			text = append(text, ' ')
		}
		if a.IsPlacement() {
			text = appendPlace(text, play.side, a.Kind(), play.SetupSquare())
			play.Play(a)
			continue
		}
		c, k, _ := play.board.At(a.From())
		text = append(appendPlace(text, c, k, a.From()), directionLetters[a.Direction()])
		for _, captured := range play.playStep(a) {
			text = append(append(text, ' '), captured...)
		}
	}
	return string(text)
}

// FormatLine writes actions from g on, which may span any number of turns. Each turn
// follows its label, as in "2g Ed2n  2s ed7s". The actions must be legal. FormatLine
// leaves g unchanged.
func FormatLine(g *Game, actions []Action) string {
	var turns []string
	for at := g.Clone(); len(actions) > 0; {
		n, start := 0, at.Clone()
		for n < len(actions) && at.TurnLabel() == start.TurnLabel() {
			at.Play(actions[n])
			n++
		}
		turns = append(turns, strings.TrimSpace(start.TurnLabel()+" "+FormatTurn(start, actions[:n])))
		actions = actions[n:]
	}
	return strings.Join(turns, "  ")
}

// playStep plays the step a and returns its captures as words of notation.
func (g *Game) playStep(a Action) (captures []string) {
	before := g.board
	g.Play(a)
	gone := before.Occupied() &^ g.board.Occupied() &^ (1 << a.From())
	if g.board.Occupied()>>a.To()&1 == 0 {
		// The piece was captured on the square that it stepped to.
		before.move(before.pieceAt(a.From()), a.From(), a.To())
		gone |= 1 << a.To()
	}
	for ; gone != 0; gone &= gone - 1 {
		s := Square(bits.TrailingZeros64(gone))
		c, k, _ := before.At(s)
		captures = append(captures, string(append(appendPlace(nil, c, k, s), 'x')))
	}
	return captures
}

// ParseTurn reads a whole turn to be played from g and returns its actions, which
// are legal. If the turn has fewer than four steps, the last action is Pass.
//
// During the setup the text consists of the placements of the side to act, in any
// order. Otherwise it consists of steps as [FormatTurn] writes them; several steps
// of one piece may be joined, as in Rh6nn. Every capture must be written directly
// after the step that causes it. The text must not contain the turn number.
//
// An error says which word is wrong and why; of a step that is not legal it is a
// *[IllegalStepError]. ParseTurn leaves g unchanged.
func ParseTurn(g *Game, text string) ([]Action, error) {
	if g.result.Over() {
		return nil, fmt.Errorf("the game is over: %v has won by %v", g.result.Winner, g.result.Reason)
	}
	tokens, err := parseTokens(text)
	if err != nil {
		return nil, err
	}
	if len(tokens) == 0 {
		return nil, errors.New("the turn is empty: a turn has one to four steps")
	}
	if g.InSetup() {
		return g.parseSetup(tokens)
	}
	actions, play, err := g.parseSteps(tokens, true)
	if err != nil {
		return nil, err
	}
	if play.turns == g.turns {
		if err := play.checkPass(); err != nil {
			return nil, err
		}
		actions = append(actions, Pass)
	}
	return actions, nil
}

// ParseSteps reads one or more steps to be played from g, as a person types them
// in the middle of a turn, and returns their actions. It is like [ParseTurn], but
// captures may be left out and the steps need not complete the turn. The steps
// must not go beyond the end of the turn. The actions never include Pass.
func ParseSteps(g *Game, text string) ([]Action, error) {
	tokens, err := parseTokens(text)
	switch {
	case g.result.Over():
		return nil, fmt.Errorf("the game is over: %v has won by %v", g.result.Winner, g.result.Reason)
	case err != nil:
		return nil, err
	case len(tokens) == 0:
		return nil, errors.New("there is no step; write a step such as Ed2n")
	case g.InSetup():
		return nil, errors.New("there can be no steps before the setup is over")
	}
	actions, _, err := g.parseSteps(tokens, false)
	return actions, err
}

// parseSteps returns the actions of the tokens and the state that they lead to. If
// complete is true every capture must be written; otherwise captures may be left
// out.
func (g *Game) parseSteps(tokens []token, complete bool) (actions []Action, play *Game, err error) {
	var due []string // captures of the last step that are not yet written
	play = g.Clone()
	for _, t := range tokens {
		if t.capture {
			i := slices.Index(due, t.text)
			switch {
			case i < 0 && len(actions) == 0:
				return nil, nil, fmt.Errorf("%q: a capture (x) follows the step that makes it; write a step such as Ed2n", t.text)
			case i < 0:
				return nil, nil, fmt.Errorf("%q: the previous step does not capture this piece", t.text)
			}
			due = slices.Delete(due, i, i+1)
			continue
		}
		if complete && len(due) > 0 {
			return nil, nil, fmt.Errorf("%q: the previous step captures; write %s first", t.text, strings.Join(due, " "))
		}
		if t.placement() {
			return nil, nil, fmt.Errorf("%q: the setup is over; write a step such as Ed2n", t.text)
		}
		due = due[:0]
		from := t.square
		for _, letter := range []byte(t.steps) {
			if play.turns != g.turns {
				return nil, nil, fmt.Errorf("%q: the turn's four steps are used up", t.text)
			}
			d := Direction(strings.IndexByte(directionLetters, letter))
			if err := play.checkStep(t.color, t.kind, from, d); err != nil {
				return nil, nil, &IllegalStepError{t.text, play, from, err}
			}
			a := StepAction(from, d)
			actions = append(actions, a)
			due = append(due, play.playStep(a)...)
			from = a.To()
		}
	}
	if complete && len(due) > 0 {
		return nil, nil, fmt.Errorf("the last step captures; add %s", strings.Join(due, " "))
	}
	return actions, play, nil
}

// checkPass returns an error that says why the turn may not end now, or nil if it
// may.
func (g *Game) checkPass() error {
	switch {
	case g.context == pushing:
		return fmt.Errorf("the turn ends with an unfinished push: a piece stronger than the pushed %v must step to %v",
			Kind(g.holeCode-1), g.hole)
	case g.board == g.start:
		return errors.New("the turn leaves the board as it was; a turn must change it")
	case g.thirdTime():
		return errors.New("the turn repeats a position for the third time")
	}
	return nil
}
