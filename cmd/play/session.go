package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"warren/game"
	"warren/internal/console"
	"warren/match"
	"warren/metrics"
	"warren/tactics"
)

// session is a person at the table, and the conversation about the game.
type session struct {
	in       *lines
	out      io.Writer
	prompt   bool
	color    bool
	progress func() *metrics.Progress

	opponent match.Player
	against  string   // the opponent as the command line names it
	adviser  *adviser // nil if there is nobody to ask
	side     game.Color
	seed     uint64
	table    *table

	seat  match.Seat // the opponent's at this game; nil before it is first asked
	evals bool       // whether to show the evaluation after every turn
	ended bool       // whether the end of the game has been told
}

// errQuit ends the session.
var errQuit = errors.New("quit")

// run talks until the person leaves.
func (s *session) run(ctx context.Context) error {
	defer s.leave()
	s.say("You are %v, against %s. \"help\" lists what you can type.\n", s.side, s.opponent.Name())
	s.board()
	for {
		err := s.turn(ctx)
		switch {
		case errors.Is(err, errQuit):
			return s.goodbye()
		case ctx.Err() != nil:
			s.say("\n")
			return s.goodbye()
		case errors.Is(err, io.EOF):
			return s.goodbye()
		case err != nil:
			if kept := s.goodbye(); kept != nil {
				err = errors.Join(err, kept)
			}
			return err
		}
	}
}

// turn is the opponent's turn, or one line of the person's.
func (s *session) turn(ctx context.Context) error {
	if result := s.table.result(); result.Over() {
		if !s.ended {
			s.say("%s wins by %v.\n", title(result.Winner), result.Reason)
		}
		s.ended = true
	} else if s.ended = false; s.table.game.Side() != s.side {
		return s.reply(ctx)
	}
	if s.prompt {
		s.say("%s> ", s.table.game.TurnLabel())
	}
	line, err := s.in.read(ctx)
	if err != nil {
		return err
	}
	err = s.obey(ctx, line)
	if err != nil && !errors.Is(err, errQuit) && ctx.Err() == nil {
		s.say("%s\n", strings.ReplaceAll(err.Error(), "\n", "; "))
		return nil
	}
	return err
}

// reply lets the opponent play its turn.
func (s *session) reply(ctx context.Context) error {
	if err := s.sit(); err != nil {
		return err
	}
	progress := s.progress()
	defer progress.Close()
	g := s.table.game
	before, from := g.Clone(), len(s.table.actions)
	for played := 0; !g.Result().Over() && g.Side() == before.Side() && g.InSetup() == before.InSetup(); played++ {
		total := 4
		if g.InSetup() {
			total = game.Placements / 2
		}
		stop := show(progress, metrics.Status{Title: title(g.Side()) + " is thinking", Done: float64(played), Total: float64(total)})
		a, err := s.choose(ctx, g)
		stop()
		if err == nil && !slices.Contains(g.Legal(nil), a) {
			err = &match.Forfeit{Cause: fmt.Sprintf("the illegal action %d", a)}
		}
		if err == nil {
			err = s.watch(g, a)
		}
		if forfeit := (*match.Forfeit)(nil); errors.As(err, &forfeit) && ctx.Err() == nil {
			progress.Close()
			s.say("%s %v.\n", s.opponent.Name(), forfeit)
			s.table.back(from)
			s.table.resigned = true
			return nil
		}
		if err != nil {
			s.table.back(from)
			return fmt.Errorf("asking %s: %w", s.opponent.Name(), err)
		}
		s.table.play(a)
	}
	progress.Close()
	s.say("%s %s\n", before.TurnLabel(), game.FormatTurn(before, s.table.actions[from:]))
	s.board()
	s.showEvaluation()
	return nil
}

// choose asks the opponent for an action. A turn that wins at once is played
// without asking: a search may prefer to win later.
func (s *session) choose(ctx context.Context, g *game.Game) (game.Action, error) {
	if winning := tactics.Winning(g); len(winning) > 0 {
		return winning[0], nil
	}
	return s.seat.Act(ctx, g)
}

// show keeps a status on show while something that does not report is going on,
// until stop is called.
func show(progress *metrics.Progress, status metrics.Status) (stop func()) {
	progress.Update(status)
	ticker, done := time.NewTicker(time.Second/4), make(chan struct{})
	go func() {
		for {
			select {
			case <-ticker.C:
				progress.Update(status)
			case <-done:
				return
			}
		}
	}()
	return func() {
		ticker.Stop()
		close(done)
	}
}

// play makes actions of the person's.
func (s *session) play(actions []game.Action) {
	for _, a := range actions {
		if s.seat != nil {
			if err := s.watch(s.table.game, a); err != nil {
				s.leave() // it sits down again, and is told everything
			}
		}
		s.table.play(a)
	}
}

// sit gives the opponent a seat at this game, and tells it what has been
// played so far.
func (s *session) sit() error {
	if s.seat != nil {
		return nil
	}
	seat, err := s.opponent.Sit(s.seed)
	if err != nil {
		return err
	}
	s.seat = seat
	g := game.New()
	for _, a := range s.table.actions {
		if err := s.watch(g, a); err != nil {
			return err
		}
		g.Play(a)
	}
	return nil
}

func (s *session) watch(before *game.Game, a game.Action) error {
	if w, ok := s.seat.(match.Watcher); ok {
		return w.Watch(before, a)
	}
	return nil
}

// leave takes the opponent's seat away, because the game is over or has become
// another.
func (s *session) leave() {
	if c, ok := s.seat.(io.Closer); ok {
		c.Close()
	}
	s.seat = nil
}

// goodbye ends the session, and sees to it that the game is not lost.
func (s *session) goodbye() error {
	if !s.table.unsaved() {
		return nil
	}
	path, err := s.table.keep()
	if err != nil {
		return err
	}
	s.say("The game is in %s; go on with it by: play --load %s --side %v %s\n", path, path, s.side, console.Quote(s.against))
	return nil
}

func (s *session) say(format string, args ...any) { fmt.Fprintf(s.out, format, args...) }

func (s *session) board() { s.say("%s", draw(s.table.game, s.color)) }

// showEvaluation says what the network thinks, if the person wants to know.
func (s *session) showEvaluation() {
	if !s.evals || s.adviser == nil || s.table.result().Over() {
		return
	}
	g := s.table.game
	if _, value, err := s.adviser.evaluate(g, g.Legal(nil)); err == nil {
		s.say("%s\n", chances(g.Side(), value))
	}
}

// chances says the chance to win of side, seen by Gold.
func chances(side game.Color, value float32) string {
	if side == game.Silver {
		value = 1 - value
	}
	return fmt.Sprintf("gold %.1f%%, silver %.1f%%", 100*value, 100*(1-value))
}

func title(c game.Color) string { return strings.ToUpper(c.String()[:1]) + c.String()[1:] }
