package game

import (
	"fmt"
	"strings"
)

// token is one word of a turn: a placement (Ra1), a step (Ed2n), several steps
// of one piece (Rh6nn), or a capture (rc3x).
type token struct {
	text    string
	color   Color
	kind    Kind
	square  Square
	steps   string // directions (n, e, s, w); empty for a placement or a capture
	capture bool
}

func (t token) placement() bool { return t.steps == "" && !t.capture }

// directionLetters holds the letter of each direction.
const directionLetters = "nesw"

func parseToken(text string) (token, error) {
	fail := func(what string) (token, error) {
		return token{}, fmt.Errorf("%.20q: %s; write a step as Ed2n, a capture as rc3x, a placement as Ra1", text, what)
	}
	if len(text) < 3 {
		return fail("too short")
	}
	c, k, ok := parsePiece(text[0])
	if !ok {
		return fail("the first letter is not a piece (RCDHME, rcdhme)")
	}
	s, err := ParseSquare(text[1:3])
	if err != nil {
		return fail(fmt.Sprintf("%q is not a square", text[1:3]))
	}
	t := token{text: text, color: c, kind: k, square: s}
	switch rest := text[3:]; {
	case rest == "x":
		t.capture = true
	case strings.Trim(rest, directionLetters) != "" || len(rest) > stepsPerTurn:
		return fail("want one to four directions (n, e, s, w) or x after the square")
	default:
		t.steps = rest
	}
	return t, nil
}

func parseTokens(text string) ([]token, error) {
	var tokens []token
	for word := range strings.FieldsSeq(text) {
		t, err := parseToken(word)
		if err != nil {
			return nil, err
		}
		tokens = append(tokens, t)
	}
	return tokens, nil
}

// appendPlace appends the letter of a piece and its square, such as Ra1.
func appendPlace(text []byte, c Color, k Kind, s Square) []byte {
	return append(append(text, PieceLetter(c, k)), s.String()...)
}
