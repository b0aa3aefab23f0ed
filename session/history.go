package session

import (
	"fmt"

	"warren/game"
)

// history is the game so far: every action from the empty board on.
type history struct {
	game     *game.Game
	actions  []game.Action
	turns    []int // where in actions each turn began, the present one last
	resigned bool  // by the side to move
	saved    int   // length of actions when the game was last in a file
}

func newHistory() *history { return &history{game: game.New(), turns: []int{0}} }

// parseHistory reads a move list.
func parseHistory(text string) (*history, error) {
	moves, err := game.ParseMoveList(text)
	if err != nil {
		return nil, err
	}
	h := newHistory()
	h.play(moves.Actions...)
	h.saved = len(h.actions)
	h.resigned = moves.Result.Reason == game.Resignation
	return h, nil
}

// play makes legal actions.
func (h *history) play(actions ...game.Action) {
	for _, a := range actions {
		side := h.game.Side()
		h.game.Play(a)
		h.actions = append(h.actions, a)
		if h.game.Side() != side {
			h.turns = append(h.turns, len(h.actions))
		}
	}
}

// turn returns the index in actions at which the present turn began.
func (h *history) turn() int { return h.turns[len(h.turns)-1] }

// open returns the actions made in the present turn.
func (h *history) open() []game.Action { return h.actions[h.turn():] }

// back takes back all but the first n actions, and a resignation.
func (h *history) back(n int) {
	actions, saved := h.actions[:n:n], h.saved
	*h = *newHistory()
	h.play(actions...)
	h.saved = min(saved, n)
}

// lastTurnOf returns the index in actions at which the latest completed turn of
// side began. Turns alternate between the sides.
func (h *history) lastTurnOf(side game.Color) (n int, ok bool) {
	last := len(h.turns) - 2
	if h.game.Side() == side {
		last--
	}
	if last < 0 {
		return 0, false
	}
	return h.turns[last], true
}

// resign gives up the game for the side to move.
func (h *history) resign() {
	h.back(h.turn())
	h.resigned = true
}

// result returns how the game stands, resignation included.
func (h *history) result() game.Result {
	if h.resigned {
		return game.Result{Winner: h.game.Side().Other(), Reason: game.Resignation}
	}
	return h.game.Result()
}

// unsaved reports whether the game has whole turns that are in no file.
func (h *history) unsaved() bool { return h.turn() > h.saved }

// moveList returns the game as a move list. It leaves out the steps of an
// unfinished turn, which no move list can hold.
func (h *history) moveList() string {
	text := game.FormatMoveList(h.actions[:h.turn()])
	if h.resigned {
		text += fmt.Sprintln(h.game.TurnLabel(), "resigns")
	}
	return text
}
