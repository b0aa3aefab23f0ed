package page

import (
	"cmp"
	"context"
	"net/http"

	"warren/game"
	"warren/internal/session"
	"warren/mcts"
)

// The limits of a search.
const (
	maxVisits = 5000 // for each step
	topPriors = 12   // steps sent, and priors of a position
	maxLine   = 40   // actions of the expected line
)

// advice is the result of a search, as sent to the page.
type advice struct {
	Value   float32       `json:"value"`   // Gold's chance to win, by the search
	Network float32       `json:"network"` // Gold's chance to win, by the network alone
	Mixed   bool          `json:"mixed"`   // whether these are not chances to win
	Steps   []adviceStep  `json:"steps"`   // the first of Turn, then by visits; those that lose last, without theirs
	Total   int           `json:"total"`   // visits of all steps, also of those that are not sent
	Turn    []game.Action `json:"turn"`    // the actions to play
	Text    string        `json:"text"`    // Turn in notation
	Line    string        `json:"line"`    // Turn and the expected continuation in notation
	Frames  []frame       `json:"frames"`  // the same, position by position
	Final   string        `json:"final"`   // the board after them
	Wins    bool          `json:"wins"`
}

type adviceStep struct {
	Text   string  `json:"text"`
	Visits int     `json:"visits"`
	Prior  float32 `json:"prior"`
}

// search returns the result of a network's search of a position. The request
// gives the position by the actions that lead to it.
func (s *Server) search(r *http.Request) (any, error) {
	var q struct {
		Network string `json:"network"`
		Visits  int    `json:"visits"`
		played
	}
	if err := read(r, &q); err != nil {
		return nil, err
	}
	if q.Visits < 1 || q.Visits > maxVisits {
		return nil, wrong("a search of %d visits: must be from 1 to %d", q.Visits, maxVisits)
	}
	network, err := s.network(q.Network)
	if err != nil {
		return nil, err
	}
	at, err := q.game()
	if err != nil {
		return nil, err
	}
	if at.end.Result().Over() {
		return nil, wrong("the game is over: there is nothing to search")
	}
	release, err := s.takeHeavy(r.Context())
	if err != nil {
		return nil, err
	}
	defer release()
	adviser, err := session.NewAdviser(network, mcts.MatchConfig(), q.Visits)
	if err != nil {
		return nil, err
	}
	defer adviser.Close()
	found, err := adviser.Advise(r.Context(), at.end, q.Visits, nil)
	if err != nil {
		return nil, err
	}
	return adviceOf(found, at.end, s.mixedBy(network)), nil
}

// hint returns what a session's adviser says about its position.
func (t *openGame) hint(ctx context.Context) (*advice, error) {
	found, err := t.session.Hint(ctx, 0, nil)
	if err != nil {
		return nil, err
	}
	return adviceOf(found, t.session.Game(), t.mixed), nil
}

// adviceOf returns what was found about the position of g. Mixed says whether the values of
// the network are not chances to win.
func adviceOf(found *session.Advice, g *game.Game, mixed bool) *advice {
	gold := g.Side() == game.Gold
	found.Line = found.Line[:min(maxLine, len(found.Line))]
	a := &advice{Value: *goldChance(gold, found.Value), Network: *goldChance(gold, found.Network), Mixed: mixed, Wins: found.Wins,
		Turn: found.Turn, Text: game.FormatTurn(g, found.Turn), Line: game.FormatLine(g, found.Line)}
	for i, s := range found.Steps {
		if s.Proof == mcts.Lost && found.Steps[0].Proof != mcts.Lost {
			s.Visits = 0 // after a step is refused, others have as many
		}
		if a.Total += s.Visits; i < topPriors {
			a.Steps = append(a.Steps, adviceStep{cmp.Or(game.FormatTurn(g, []game.Action{s.Action}), "end"), s.Visits, s.Prior})
		}
	}
	at := g.Clone()
	for _, action := range found.Line {
		a.Frames = append(a.Frames, frameOf(at, action))
		at.Play(action)
	}
	a.Final = at.Board().String()
	return a
}
