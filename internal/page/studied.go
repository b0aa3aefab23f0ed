package page

import (
	"math/bits"
	"slices"
	"strings"

	"warren/game"
)

// maxActions limits a game that a request gives.
const maxActions = 1 << 14

// played is a game, as a request gives it by its actions.
type played struct {
	Actions  []game.Action `json:"actions"`
	Missing  []int         `json:"missing"`  // squares that the setups leave empty
	Position string        `json:"position"` // the game begins with, in short notation; empty: with the setups
}

// studied is a game up to a position that a visitor studies.
type studied struct {
	start   *game.Game // where it begins
	actions []game.Action
	missing uint64     // squares whose pieces are gone when the setups are over
	end     *game.Game // where it stands
}

// game returns the game if it is legal.
func (p *played) game() (*studied, error) {
	if len(p.Actions) > maxActions {
		return nil, wrong("%d steps: longer than any game", len(p.Actions))
	}
	s := &studied{start: game.New(), actions: p.Actions}
	if p.Position != "" {
		board, side, err := game.ParsePosition(p.Position)
		if err != nil {
			return nil, wrong("this is not a position in Arimaa's notation: %v", err)
		}
		s.start = game.FromBoard(board, side)
	}
	var err error
	if s.missing, err = missingSquares(p.Missing); err != nil {
		return nil, err
	}
	s.end = s.start.Clone()
	for i, a := range p.Actions {
		if !slices.Contains(s.end.Legal(nil), a) {
			return nil, wrong("step %d of the game is not legal", i+1)
		}
		s.end.PlayHandicap(a, s.missing)
	}
	return s, nil
}

func missingSquares(list []int) (squares uint64, err error) {
	if len(list) > game.Placements {
		return 0, wrong("%d squares without a piece", len(list))
	}
	for _, n := range list {
		if n < 0 || n > 63 {
			return 0, wrong("there is no square %d", n)
		}
		squares |= 1 << n
	}
	if n := max(bits.OnesCount64(squares&0xffff), bits.OnesCount64(squares>>48)); n > game.MaxHandicap {
		return 0, wrong("a side without %d pieces: at most %d", n, game.MaxHandicap)
	}
	return squares, nil
}

// studiedList reads a game in Arimaa's notation: a move list, or a position alone. A mistake
// after the first actions is a problem of the game, which ends there.
func studiedList(text string) (s *studied, result game.Result, problem string, err error) {
	if text = strings.TrimSpace(text); strings.HasSuffix(text, "]") && !strings.Contains(text, "\n") {
		s, err = (&played{Position: text}).game()
		if err != nil {
			return nil, result, "", err
		}
		return s, s.end.Result(), "", nil
	}
	list, err := game.ParseHandicapList(text)
	switch {
	case len(list.Actions) == 0 && err == nil:
		return nil, result, "", wrong("this is not a game in Arimaa's notation: there are no moves in it")
	case len(list.Actions) == 0:
		return nil, result, "", wrong("this is not a game in Arimaa's notation: %v", err)
	case len(list.Actions) > maxActions:
		return nil, result, "", wrong("%d steps: longer than any game", len(list.Actions))
	case err != nil:
		problem = err.Error()
	}
	return &studied{start: game.New(), actions: list.Actions, missing: list.Missing}, list.Result, problem, nil
}
