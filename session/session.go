package session

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"warren/alphabeta"
	"warren/game"
	"warren/match"
)

// Config says who plays.
type Config struct {
	Opponent match.Player
	Side     game.Color // the person's
	Seed     uint64     // of the opponent's chance and the good setups; each new game takes the next
	Adviser  *Adviser   // nil if there is no network to ask
}

// Session is a person's games against a player, one after the other. It is for
// one goroutine at a time. The calls that take a context, [Session.Reply] and
// [Session.Hint], return soon after it ends.
type Session struct {
	opponent match.Player
	adviser  *Adviser
	side     game.Color
	seed     uint64
	history  *history
	seat     match.Seat // the opponent's in this game; nil until it is first asked
}

// Errors that say that something cannot be done now.
var (
	ErrOver          = errors.New("the game is over")
	ErrOpponentsTurn = errors.New("it is the opponent's turn")
	ErrSetupOver     = errors.New("the setup is over")
)

// New returns a session at the beginning of a game. [Session.Close] ends it.
func New(c Config) *Session {
	return &Session{opponent: c.Opponent, adviser: c.Adviser, side: c.Side, seed: c.Seed, history: newHistory()}
}

// Close takes the opponent's seat away, such as an engine's process. The session
// can still be used; the opponent then sits down again.
func (s *Session) Close() error { return s.leave() }

// Game returns the game as it stands, which must not be changed. The next call
// that changes the game may or may not change what was returned. It knows
// nothing of resignations: see [Session.Result].
func (s *Session) Game() *game.Game { return s.history.game }

// Side returns the person's side.
func (s *Session) Side() game.Color { return s.side }

// Result returns how the game stands, resignation included. An opponent that
// forfeits has resigned.
func (s *Session) Result() game.Result { return s.history.result() }

// Legal returns the legal actions of the side to move, as for highlighting the
// pieces that can step and the squares that they can reach.
func (s *Session) Legal() ([]game.Action, error) {
	if err := s.ongoing(); err != nil {
		return nil, err
	}
	return s.history.game.Legal(nil), nil
}

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
		return ErrOpponentsTurn
	}
	return nil
}

// Play makes actions of the person's, all of one turn: placements, steps, or
// the pass that ends a turn early. If one of them is not legal, none is made.
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
// the turn open unless the fourth step ends it. Captures may be left out. It
// returns the actions made.
func (s *Session) PlaySteps(text string) ([]game.Action, error) {
	if err := s.personsTurn(); err != nil {
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
// "Ee2n Ee3n". Captures may be left out.
func (s *Session) PlayTurn(text string) error {
	if err := s.personsTurn(); err != nil {
		return err
	}
	g := s.history.game
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

// Undo takes back the last of these: a resignation, the last step of an open
// turn, or the person's latest turn with all that followed.
func (s *Session) Undo() error {
	h := s.history
	switch {
	case h.resigned:
		h.resigned = false
	case len(h.open()) > 0 && !h.game.InSetup():
		h.back(len(h.actions) - 1)
	default:
		n, ok := h.lastTurnOf(s.side)
		if !ok {
			return errors.New("there is no turn of yours to take back")
		}
		h.back(n)
	}
	s.leave()
	return nil
}

// Resign gives the game up for the person, whose turn it must be. The steps of
// an open turn are taken back.
func (s *Session) Resign() error {
	if err := s.personsTurn(); err != nil {
		return err
	}
	s.history.resign()
	return nil
}

// Swap lets the person and the opponent change sides.
func (s *Session) Swap() {
	s.side = s.side.Other()
	s.leave()
}

// NewGame begins another game, with the next seed. The present one is lost
// unless it was saved.
func (s *Session) NewGame() {
	s.leave()
	s.history = newHistory()
	s.seed++
}
