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
	handicap Handicap
	missing  uint64      // squares whose pieces were gone when the setups were over
	lost     game.Reason // why the side to move has lost away from the board; else Ongoing
	stopped  bool        // whether the time control has ended the game
	saved    int         // length of actions when the game was last in a file
	ended    bool        // whether a resignation is in that file
}

func newHistory(handicap Handicap) *history {
	return &history{game: game.New(), turns: []int{0}, handicap: handicap}
}

// parseHistory reads a move list, which may be that of a handicap game.
func parseHistory(text string) (*history, error) {
	moves, err := game.ParseHandicapList(text)
	if err != nil {
		return nil, err
	}
	h := newHistory(Handicap{})
	h.missing = moves.Missing
	h.play(moves.Actions...)
	h.saved = len(h.actions)
	if moves.Result.Reason == game.Resignation {
		h.lost, h.ended = game.Resignation, true
	}
	return h, nil
}

// play makes legal actions.
func (h *history) play(actions ...game.Action) {
	for _, a := range actions {
		side, setup := h.game.Side(), h.game.InSetup()
		h.game.Play(a)
		if setup && !h.game.InSetup() {
			if h.missing == 0 {
				h.missing = h.handicap.squares(h.game.Board())
			} else { // as a saved game says
				h.handicap = handicapOf(h.game.Board(), h.missing)
			}
			if h.missing != 0 {
				h.game = game.Handicapped(h.game, h.missing)
			}
		}
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
	before := *h
	*h = *newHistory(before.handicap)
	if n >= game.Placements {
		h.missing = before.missing
	}
	h.play(before.actions[:n:n]...)
	h.saved = min(before.saved, n)
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

// lose ends the game with a loss of the side to move, by resignation or on time.
func (h *history) lose(reason game.Reason) {
	h.back(h.turn())
	h.lost = reason
}

// result returns how the game stands, including losses away from the board.
func (h *history) result() game.Result {
	if h.lost != game.Ongoing {
		return game.Result{Winner: h.game.Side().Other(), Reason: h.lost}
	}
	if h.stopped {
		return game.Result{Winner: h.game.ScoreWinner(), Reason: game.TurnLimit}
	}
	return h.game.Result()
}

// unsaved reports whether the game has whole turns, or a resignation, that are in no file.
func (h *history) unsaved() bool {
	return h.turn() > h.saved || h.lost == game.Resignation && !h.ended
}

// moveList returns the game as a move list. It leaves out the steps of an
// unfinished turn, which no move list can hold.
func (h *history) moveList() string {
	text := game.FormatHandicapList(h.actions[:h.turn()], h.missing)
	if h.lost == game.Resignation {
		text += fmt.Sprintln(h.game.TurnLabel(), "resigns")
	}
	return text
}
