package session

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"warren/game"
	"warren/internal/arena"
	"warren/internal/arena/alphabeta"
)

// Config says who plays and who gives advice.
type Config struct {
	Opponent arena.Player
	Side     game.Color // the person's
	Seed     uint64     // of the opponent's random choices and of good setups; each new game takes the next
	Adviser  *Adviser   // nil if there is no network to ask
	Handicap Handicap   // of new games; a saved game keeps its own
}

// Session is a series of games between a person and a player at one board. It is
// for one goroutine at a time, even for calls that only look. [Session.Reply] and
// [Session.Hint] may take long, and return soon after their context ends.
type Session struct {
	opponent arena.Player
	adviser  *Adviser
	side     game.Color
	seed     uint64
	handicap Handicap
	history  *history
	files    map[string]string // the files that this game was loaded from or saved in, and what they held then
	seat     arena.Seat        // the opponent's in this game; nil until it is first asked
}

// Errors for what cannot be done at this point of the game.
var (
	ErrOver          = errors.New("the game is over")
	errOpponentsTurn = errors.New("it is the opponent's turn")
	ErrSetupOver     = errors.New("the setup is over")
)

// New returns a session at the beginning of a game. It must be closed by
// [Session.Close].
func New(c Config) *Session {
	return &Session{opponent: c.Opponent, adviser: c.Adviser, side: c.Side, seed: c.Seed, handicap: c.Handicap,
		history: newHistory(c.Handicap), files: map[string]string{}}
}

// Close closes the opponent's seat, and so ends the process of an external engine.
// The session can still be used: the opponent sits down again when it is asked.
func (s *Session) Close() error { return s.leave() }

// Game returns the game as it stands. It must not be changed, and is valid
// until the next call that changes the game. It does not include resignations,
// as [Session.Result] does.
func (s *Session) Game() *game.Game { return s.history.game }

// Opponent returns the opponent's name.
func (s *Session) Opponent() string { return s.opponent.Name() }

// Side returns the person's side.
func (s *Session) Side() game.Color { return s.side }

// Result returns how the game stands, resignation included. An opponent that
// forfeits has resigned.
func (s *Session) Result() game.Result { return s.history.result() }

// Legal returns the legal actions of the side to move.
func (s *Session) Legal() ([]game.Action, error) {
	if err := s.ongoing(); err != nil {
		return nil, err
	}
	return s.history.game.Legal(nil), nil
}

// Handicap returns the pieces that the sides of this game play without.
func (s *Session) Handicap() Handicap { return s.history.handicap }

// OpenTurn returns the actions that have been made in the present turn.
func (s *Session) OpenTurn() []game.Action { return slices.Clone(s.history.open()) }

// ongoing returns ErrOver, with the result, if the game is over.
func (s *Session) ongoing() error {
	if r := s.Result(); r.Over() {
		return fmt.Errorf("%w: %v has won by %v", ErrOver, r.Winner, r.Reason)
	}
	return nil
}

// personsTurn returns an error unless the person is to act.
func (s *Session) personsTurn() error {
	if err := s.ongoing(); err != nil {
		return err
	}
	if s.history.game.Side() != s.side {
		return errOpponentsTurn
	}
	return nil
}

// Play makes actions of the person's within one turn: placements, steps, or the
// pass that ends the turn early. If one of them is not legal, none is made.
func (s *Session) Play(actions ...game.Action) error {
	if err := s.personsTurn(); err != nil {
		return err
	}
	g := s.history.game.Clone()
	for i, a := range actions {
		if g.Side() != s.side || !slices.Contains(g.Legal(nil), a) {
			return fmt.Errorf("action %d of %d is not legal", i+1, len(actions))
		}
		g.Play(a)
	}
	s.play(actions)
	return nil
}

// play makes legal actions of the person's.
func (s *Session) play(actions []game.Action) {
	for _, a := range actions {
		if s.seat != nil {
			if err := s.watch(s.history.game, a); err != nil {
				s.leave() // it sits down again and is told everything
			}
		}
		s.history.play(a)
	}
}

// PlaySteps makes the steps that text names, such as "Ee2n Ee3n", and leaves
// the turn open unless the fourth step ends it. Captures may be left out, and the
// turn's label may come first. It returns the actions made.
func (s *Session) PlaySteps(text string) ([]game.Action, error) {
	if err := s.personsTurn(); err != nil {
		return nil, err
	}
	text, err := s.history.game.CutTurnLabel(text)
	if err != nil {
		return nil, err
	}
	actions, err := game.ParseSteps(s.history.game, text)
	if err != nil {
		return nil, err
	}
	s.play(actions)
	return actions, nil
}

// PlayTurn plays the rest of the person's turn or setup as text says, such as
// "Ee2n Ee3n". Captures may be left out, and the turn's label may come first, as in
// "2g Ee2n Ee3n".
func (s *Session) PlayTurn(text string) error {
	if err := s.personsTurn(); err != nil {
		return err
	}
	g := s.history.game
	text, err := g.CutTurnLabel(text)
	if err != nil {
		return err
	}
	if !g.InSetup() {
		steps, err := game.ParseSteps(g, text)
		if err != nil {
			return err
		}
		// With its captures written out, the text is a turn as game files have
		// it. ParseTurn says whether the turn may end there.
		text = game.FormatTurn(g, steps)
	}
	actions, err := game.ParseTurn(g, text)
	if err != nil {
		return err
	}
	s.play(actions)
	return nil
}

// SetUp places the person's remaining pieces as a good setup has them.
func (s *Session) SetUp() error {
	g := s.history.game
	if !g.InSetup() {
		return ErrSetupOver
	}
	if err := s.personsTurn(); err != nil {
		return err
	}
	s.play(alphabeta.Setup(g, rand.New(rand.NewPCG(s.seed, uint64(g.Side())))))
	return nil
}

// EndTurn ends the person's turn after one to three steps.
func (s *Session) EndTurn() error {
	if err := s.personsTurn(); err != nil {
		return err
	}
	g := s.history.game
	switch {
	case g.InSetup():
		return errors.New("the setup ends by itself, with its last placement")
	case g.StepsLeft() == 4:
		return errors.New("a turn has at least one step")
	case !slices.Contains(g.Legal(nil), game.Pass):
		if hole, pushed, ok := g.Push(); ok {
			return fmt.Errorf("a push is unfinished: a piece stronger than the pushed %v must step to %v", pushed, hole)
		}
		return errors.New("the turn may not end here: the board would be as before, or repeat for the third time")
	}
	s.play([]game.Action{game.Pass})
	return nil
}

// Undo takes back an end away from the board if there is one, else the last step of an open
// turn, else the person's latest turn with everything after it.
func (s *Session) Undo() error {
	h := s.history
	switch {
	case h.lost != game.Ongoing || h.stopped:
		h.lost, h.stopped = game.Ongoing, false
	case len(h.open()) > 0 && !h.game.InSetup():
		h.back(len(h.actions) - 1)
	default:
		n, ok := h.lastTurnOf(s.side)
		if !ok {
			return errors.New("there is no turn of yours to take back")
		}
		h.back(n)
	}
	s.leaveUnlessAdapting()
	return nil
}

// Resign gives up the game for the person, whose turn it must be. It takes back
// the steps of an open turn.
func (s *Session) Resign() error {
	if err := s.personsTurn(); err != nil {
		return err
	}
	s.history.lose(game.Resignation)
	return nil
}

// LoseOnTime ends the game because the side to move has run out of time. It takes
// back the steps of an open turn. No move list can hold such a loss.
func (s *Session) LoseOnTime() error {
	if err := s.ongoing(); err != nil {
		return err
	}
	s.leaveUnlessAdapting()
	s.history.lose(game.Time)
	return nil
}

// Stop ends the game before its end on the board, because the time control says
// so. The official score decides. Call it at the start of a turn. No move list can
// hold such an end.
func (s *Session) Stop() error {
	if err := s.ongoing(); err != nil {
		return err
	}
	s.leaveUnlessAdapting()
	s.history.stopped = true
	return nil
}

// Replace seats another opponent, such as the same network at another level. The game stays as it is.
func (s *Session) Replace(opponent arena.Player) {
	s.leave()
	s.opponent = opponent
}

// Swap lets the person and the opponent change sides. An external engine cannot continue within a turn,
// so a turn that is begun must be finished or taken back first.
func (s *Session) Swap() error {
	if _, external := s.opponent.(*arena.External); external && len(s.history.open()) > 0 {
		return fmt.Errorf("%s can only play whole turns: finish this turn or take its steps back first", s.opponent.Name())
	}
	s.side = s.side.Other()
	s.leave()
	return nil
}

// NewGame begins another game, with the next seed. The present one is lost
// unless it was saved.
func (s *Session) NewGame() {
	s.leave()
	s.history, s.files = newHistory(s.handicap), map[string]string{}
	s.seed++
}
