package arena

import (
	"errors"
	"fmt"
	"slices"

	"warren/game"
)

// Portable describes a player to another process.
type Portable struct {
	Label   string          `json:"label"`
	Player  string          `json:"player,omitempty"`  // as Names reads it; empty with a network
	Network string          `json:"network,omitempty"` // content hash
	Search  *SearchSettings `json:"search,omitempty"`
}

// Portable returns a description from which another process makes the same player. It reports false if
// that cannot be done, or if the player's games depend on more than the seed: on another program, or
// on the time.
func (e *Entrant) Portable() (Portable, bool) {
	if s, ok := e.Player.(*Searcher); ok && e.Network != nil {
		// A description does not hold a device of its own.
		if s.Time > 0 || e.Identity != Seated(e.Network, s.Label, s.SearchSettings).Identity {
			return Portable{}, false
		}
		search := s.SearchSettings
		return Portable{Label: s.Label, Network: e.Network.Hash, Search: &search}, true
	}
	p := Portable{Label: e.Name(), Player: e.Identity}
	other, err := p.Entrant()
	return p, err == nil && other.Identity == e.Identity
}

// Entrant returns the player that p describes, which must not play with a network.
func (p *Portable) Entrant() (*Entrant, error) {
	e, err := (&Names{}).Parse(p.Player)
	if err != nil {
		return nil, err
	}
	_, external := e.Player.(*External)
	_, named := e.Player.(labelled)
	if search, ok := e.Player.(AlphaBeta); external || named || ok && search.Time > 0 {
		return nil, fmt.Errorf("the player %s: it depends on more than its seed", p.Label)
	}
	if e.Name() != p.Label {
		e.Player = labelled{e.Player, p.Label}
	}
	return e, nil
}

// Replay returns the game with these actions, which another process has played. The error says what
// cannot have been played.
func (f *Fixture) Replay(actions []game.Action) (*Played, error) {
	record := &Played{Number: f.Number, Gold: f.Number%2 == 0, Actions: actions}
	g := game.New()
	var legal []game.Action
	for i, a := range actions {
		switch {
		case i < len(f.Opening) && a != f.Opening[i]:
			return nil, fmt.Errorf("action %d is not that of the opening", i+1)
		case g.Result().Over() || i >= len(f.Opening) && g.Turns() >= f.TurnLimit:
			return nil, fmt.Errorf("action %d comes after the end", i+1)
		}
		if legal = g.Legal(legal[:0]); !slices.Contains(legal, a) {
			return nil, fmt.Errorf("action %d, %d, is illegal", i+1, a)
		}
		g.Play(a)
	}
	record.Result, record.Turns = g.Result(), g.Turns()
	if !g.Result().Over() {
		if len(actions) < len(f.Opening) || g.Turns() < f.TurnLimit {
			return nil, errors.New("the game is not over")
		}
		record.Result = game.Result{Winner: g.ScoreWinner(), Reason: game.TurnLimit}
	}
	return record, nil
}
