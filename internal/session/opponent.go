package session

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"warren/game"
	"warren/internal/arena"
)

// Reply is what the opponent did in its turn.
type Reply struct {
	Turn    []game.Action  // the rest of the turn or setup; nil if it forfeited
	Forfeit *arena.Forfeit // not nil if it lost the game by its own fault
}

// OpponentLevel returns the level at which an opponent that adapts played last. It reports false of
// opponents that do not.
func (s *Session) OpponentLevel() (arena.Level, bool) {
	seat, ok := s.seat.(interface{ Level() arena.Level })
	if !ok {
		return arena.Level{}, false
	}
	return seat.Level(), true
}

// OpponentTime returns how long the opponent thinks about the present turn, or 0 if that is not known.
func (s *Session) OpponentTime() time.Duration {
	if s.history.game.InSetup() {
		return 0
	}
	switch p := s.opponent.(type) {
	case *arena.Searcher:
		return p.Time
	case arena.AlphaBeta:
		return p.Time
	}
	return 0
}

// Reply lets the opponent play its turn or setup, or the rest of it. Before each
// action Reply calls report, which may be nil, with the number of actions made and
// the most that the turn can have. Report may look at the session, and finds the
// actions made so far.
//
// If the opponent fails or the context ends first, the game stands as before the
// call, and Reply can be called again.
func (s *Session) Reply(ctx context.Context, report func(done, most int)) (Reply, error) {
	if err := s.ongoing(); err != nil {
		return Reply{}, err
	}
	g := s.history.game
	if g.Side() == s.side {
		return Reply{}, errors.New("it is the person's turn")
	}
	if err := s.Sit(ctx); err != nil {
		return Reply{}, err
	}
	from, side, most := len(s.history.actions), g.Side(), 4
	if g.InSetup() {
		most = game.Placements / 2
	}
	for done := 0; g.Side() == side && !g.Result().Over(); done++ {
		if report != nil {
			report(done, most)
		}
		a, err := s.act(ctx, g)
		if err == nil {
			err = ctx.Err() // an opponent that does not look at it may answer too late
		}
		if err == nil {
			s.history.play(a)
			continue
		}
		if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
			s.leaveUnlessAdapting()
		} else {
			s.leave()
		}
		s.history.back(from)
		if forfeit, ok := errors.AsType[*arena.Forfeit](err); ok && ctx.Err() == nil {
			s.history.lose(game.Resignation)
			return Reply{Forfeit: forfeit}, nil
		}
		return Reply{}, fmt.Errorf("asking %s: %w", s.opponent.Name(), err)
	}
	return Reply{Turn: slices.Clone(s.history.actions[from:])}, nil
}

// act returns the opponent's next action, which is legal and which its seat has
// been told.
func (s *Session) act(ctx context.Context, g *game.Game) (game.Action, error) {
	a, err := s.seat.Act(ctx, g)
	if err != nil {
		return 0, err
	}
	if !slices.Contains(g.Legal(nil), a) {
		return 0, &arena.Forfeit{Cause: fmt.Sprintf("the illegal action %d", a)}
	}
	return a, s.watch(g, a)
}

// Sit seats the opponent, so that an external engine starts. Without it, the
// opponent sits down when [Session.Reply] first asks it.
func (s *Session) Sit(ctx context.Context) error {
	if err := s.sit(ctx); err != nil {
		s.leave()
		return fmt.Errorf("asking %s: %w", s.opponent.Name(), err)
	}
	return nil
}

// sit gives the opponent a seat in this game if it has none, and tells it what has
// been played.
func (s *Session) sit(ctx context.Context) error {
	if s.seat != nil {
		return nil
	}
	seat, err := s.opponent.Sit(ctx, s.seed)
	if err != nil {
		return err
	}
	s.seat = seat
	at := newHistory(Handicap{})
	at.missing = s.history.missing
	for _, a := range s.history.actions {
		if err := s.watch(at.game, a); err != nil {
			return err
		}
		at.play(a)
	}
	return nil
}

// watch tells the seat an action, if the seat is a watcher.
func (s *Session) watch(before *game.Game, a game.Action) error {
	if w, ok := s.seat.(arena.Watcher); ok {
		return w.Watch(before, a)
	}
	return nil
}

// leaveUnlessAdapting closes the opponent's seat, because a part of the game it has seen is or may be taken back. An
// opponent that adapts stays, because its seat knows its level, and looks at the game anew before every action.
func (s *Session) leaveUnlessAdapting() {
	if _, adapts := s.OpponentLevel(); !adapts {
		s.leave()
	}
}

// leave closes the opponent's seat, because the game it was seated at is no
// longer played.
func (s *Session) leave() error {
	seat := s.seat
	s.seat = nil
	if c, ok := seat.(io.Closer); ok {
		return c.Close()
	}
	return nil
}
