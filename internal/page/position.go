package page

import (
	"net/http"

	"warren/game"
	"warren/internal/session"
)

// position is a position and what can be played there, as sent to the page. The page does
// not know the rules: Legal lists every legal action, and Slides the paths of a piece over
// several steps.
type position struct {
	Board  string                     `json:"board"`
	Label  string                     `json:"label"`
	ToMove string                     `json:"toMove"`
	Left   int                        `json:"left"`
	Setup  bool                       `json:"setup"`
	Legal  []game.Action              `json:"legal"`
	Slides map[string][]game.Action   `json:"slides"` // by "from-to", squares as numbers
	Pushes map[string][][]game.Action `json:"pushes"` // by "from-to": the ways to push the piece on "to"
	Pushed int                        `json:"pushed"` // the square that an unfinished push must fill; -1: none
	Winner string                     `json:"winner"`
	Reason string                     `json:"reason"`
}

// standing returns the position of g without what can be played.
func standing(g *game.Game, r game.Result) position {
	p := position{
		Board: g.Board().String(), Label: g.TurnLabel(), ToMove: g.Side().String(), Left: g.StepsLeft(), Setup: g.InSetup(),
		Legal: []game.Action{}, Slides: map[string][]game.Action{}, Pushes: map[string][][]game.Action{}, Pushed: -1, Reason: r.Reason.String(),
	}
	if r.Over() {
		p.Winner = r.Winner.String()
	} else if hole, _, ok := g.Push(); ok {
		p.Pushed = int(hole)
	}
	return p
}

// playable adds what can be played in g: nothing if its game is over.
func (p *position) playable(g *game.Game) {
	p.Legal, p.Slides, p.Pushes = g.Legal(p.Legal), slides(g), pushes(g)
}

// tryOut returns the position after the actions of a request, in which a visitor tries out a
// variation.
func (s *Server) tryOut(r *http.Request) (any, error) {
	var ask played
	if err := read(r, &ask); err != nil {
		return nil, err
	}
	at, err := ask.game()
	if err != nil {
		return nil, err
	}
	p := standing(at.end, at.end.Result())
	p.playable(at.end)
	return p, nil
}

// why says why a piece cannot be moved in the position after the actions of a request.
func (s *Server) why(r *http.Request) (any, error) {
	var ask struct {
		played
		squares
	}
	if err := read(r, &ask); err != nil {
		return nil, err
	}
	at, err := ask.game()
	if err != nil {
		return nil, err
	}
	return ask.why(at.end)
}

// squares are where a visitor wants to move a piece; both are the same if it is a question
// whether the piece can move at all.
type squares struct{ From, To int }

// why says why the piece cannot be moved there in g.
func (q squares) why(g *game.Game) (any, error) {
	if min(q.From, q.To) < 0 || max(q.From, q.To) > 63 {
		return nil, wrong("there is no square %d or %d", q.From, q.To)
	}
	return map[string]any{"text": session.WhyNot(g, game.Square(q.From), game.Square(q.To))}, nil
}
