package page

import (
	"net/http"
	"slices"

	"warren/game"
	"warren/internal/puzzle"
)

// task is a puzzle without its answer, as sent to the page.
type task struct {
	ID         string   `json:"id"`
	Kind       string   `json:"kind"`
	Task       string   `json:"task"`
	Difficulty string   `json:"difficulty"`
	Position   string   `json:"position"` // in short notation
	Side       string   `json:"side"`
	Choices    []choice `json:"choices,omitempty"` // the turns to choose from, if it has any
}

// choice is a turn to choose from.
type choice struct {
	Text    string        `json:"text"`
	Actions []game.Action `json:"actions"`
}

// puzzles lists the puzzles.
func (s *Server) puzzles(*http.Request) (any, error) {
	file, err := s.shipped()
	if err != nil {
		return nil, err
	}
	tasks := []task{}
	for i := range file.Puzzles {
		p := &file.Puzzles[i]
		t := task{
			ID: p.ID, Kind: p.Kind.String(), Task: p.Kind.Task(), Difficulty: file.Difficulty(p),
			Position: game.FormatPosition(&p.Board, p.Side), Side: p.Side.String(),
		}
		for _, turn := range p.Choices() {
			t.Choices = append(t.Choices, choice{game.FormatTurn(p.Game(), turn), turn})
		}
		tasks = append(tasks, t)
	}
	return map[string]any{"puzzles": tasks}, nil
}

// answerPuzzle judges a turn. Without actions it returns the answer.
func (s *Server) answerPuzzle(r *http.Request) (any, error) {
	file, err := s.shipped()
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(file.Puzzles, func(p puzzle.Puzzle) bool { return p.ID == r.PathValue("puzzle") })
	if i < 0 {
		return nil, missing("there is no puzzle %.20q", r.PathValue("puzzle"))
	}
	p := &file.Puzzles[i]
	var ask played
	if err := read(r, &ask); err != nil {
		return nil, err
	}
	if len(ask.Actions) == 0 {
		return choice{game.FormatTurn(p.Game(), p.Answer), p.Answer}, nil
	}
	at, err := (&played{Actions: ask.Actions, Position: game.FormatPosition(&p.Board, p.Side)}).game()
	if err != nil {
		return nil, err
	}
	if (at.end.Turns() != 1 || at.end.StepsLeft() != 4) && !at.end.Result().Over() {
		return nil, wrong("the answer to a puzzle is one whole turn")
	}
	answer := struct {
		Right bool    `json:"right"`
		Reply *choice `json:"reply,omitempty"` // by which the opponent then wins
	}{Right: p.Right(at.actions)}
	if reply := p.Refutation(at.actions); !answer.Right && reply != nil {
		answer.Reply = &choice{game.FormatTurn(at.end, reply), reply}
	}
	return answer, nil
}
