package arena

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"warren/game"
	"warren/game/clock"
	"warren/internal/arena/aei"
)

// External is a player that is another program: an engine that speaks the Arimaa
// Engine Interface, with one process per game. The match keeps its clock. An engine
// forfeits the game if it crashes, is silent, answers late, makes an illegal move or
// floods its output; the match continues.
type External struct {
	Label   string
	Command []string      // the program and its arguments
	Options []aei.Option  // sent before each game
	Control clock.Control // the time control

	// Limits bound what the engine may do besides thinking.
	Limits aei.Limits
}

const (
	// patience limits a turn for which the clock sets no limit.
	patience = 10 * time.Minute
	// lag is how much later than the clock's limit an answer may arrive, because of
	// the way to the engine and back.
	lag = 50 * time.Millisecond
)

// Name returns the label.
func (p *External) Name() string { return p.Label }

// Sit starts the engine and waits until it is ready. An engine that starts but is
// not ready in time forfeits.
func (p *External) Sit(ctx context.Context, _ uint64) (Seat, error) {
	s := &externalSeat{player: p, clock: clock.New(p.Control), mirror: game.New(), begin: game.New()}
	if err := s.open(ctx); err != nil {
		s.Close()
		return nil, p.fault(err)
	}
	return s, nil
}

// fault turns an engine's failure into a forfeit.
func (p *External) fault(err error) error {
	if failure, ok := errors.AsType[*aei.Failure](err); ok {
		return &Forfeit{Cause: failure.Cause}
	}
	if err != nil && !errors.Is(err, context.Canceled) {
		return fmt.Errorf("seating %s: %w", p.Label, err)
	}
	return err
}

// externalSeat is an engine's process in one game.
type externalSeat struct {
	player *External
	client *aei.Client
	clock  clock.Clock
	begun  time.Time     // when the clock started
	mirror *game.Game    // what the engine has been told, and the turn being played
	begin  *game.Game    // mirror at the beginning of that turn
	turn   []game.Action // from begin to mirror
	answer []game.Action // the part of the engine's own turn not yet played
	own    bool          // whether the turn being played is the engine's
	handed time.Time     // when the other side's clock started; zero before the game begins
}

func (s *externalSeat) open(ctx context.Context) (err error) {
	if s.client, err = aei.Start(ctx, s.player.Command, s.player.Limits); err != nil {
		return err
	}
	for _, o := range append(aei.ControlOptions(&s.clock.Control), s.player.Options...) {
		if err := s.client.SetOption(o); err != nil {
			return err
		}
	}
	if err := s.client.NewGame(); err != nil {
		return err
	}
	return s.client.Ready(ctx)
}

// Watch tells the engine every complete turn, including its own.
func (s *externalSeat) Watch(before *game.Game, a game.Action) error {
	if s.mirror.Hash() != before.Hash() {
		return nil // Act sets up the new position
	}
	side := s.mirror.Side()
	s.mirror.Play(a)
	s.turn = append(s.turn, a)
	if s.mirror.Side() == side && !s.mirror.Result().Over() {
		return nil
	}
	// The engine's own turns are booked when it answers, and nobody thinks in an opening.
	if !s.own && !s.handed.IsZero() {
		s.clock.Spend(side, s.begin.InSetup(), time.Since(s.handed))
	}
	s.own = false
	text := game.FormatTurn(s.begin, s.turn)
	s.begin.CopyFrom(s.mirror)
	s.turn = s.turn[:0]
	err := s.client.MakeMove(text)
	if s.mirror.Result().Over() {
		return nil // an engine may end when the game does
	}
	return s.player.fault(err)
}

// Act returns the next action of the engine's turn, and asks for a turn first if
// there is none.
func (s *externalSeat) Act(ctx context.Context, g *game.Game) (game.Action, error) {
	if s.mirror.Hash() != g.Hash() {
		if err := s.place(g); err != nil {
			return 0, err
		}
	}
	if len(s.answer) == 0 {
		if len(s.turn) > 0 {
			return 0, s.wholeTurns()
		}
		if err := s.ask(ctx, g); err != nil {
			return 0, err
		}
	}
	a := s.answer[0]
	s.answer = s.answer[1:]
	return a, nil
}

// wholeTurns returns the error for a position within a turn.
func (s *externalSeat) wholeTurns() error {
	return fmt.Errorf("%s is an external engine, which can begin only with a whole turn", s.player.Label)
}

// place sets up a position that the seat has not watched arise, such as that of a
// given opening.
func (s *externalSeat) place(g *game.Game) error {
	if g.InSetup() || g.StepsLeft() != 4 {
		return s.wholeTurns()
	}
	for _, c := range []*game.Game{s.mirror, s.begin} {
		c.CopyFrom(g)
	}
	s.turn, s.answer = s.turn[:0], nil
	err := s.client.NewGame()
	if err == nil {
		err = s.client.SetPosition(g.Board(), g.Side())
	}
	return s.player.fault(err)
}

// ask asks the engine for its turn.
func (s *externalSeat) ask(ctx context.Context, g *game.Game) error {
	for _, o := range aei.ClockOptions(&s.clock) {
		if err := s.client.SetOption(o); err != nil {
			return s.player.fault(err)
		}
	}
	side, setup := g.Side(), g.InSetup()
	limit, limited := s.clock.Limit(side, setup)
	switch {
	case !limited:
		limit = patience
	case limit <= 0:
		return &Forfeit{Cause: "no time is left on its clock"}
	default:
		limit += lag
	}
	text, used, err := s.client.Go(ctx, limit)
	if err != nil {
		return s.player.fault(err)
	}
	s.clock.Spend(side, setup, used)
	s.own, s.handed = true, time.Now()
	if strings.HasPrefix(strings.ToLower(text), "resign") {
		return &Forfeit{Cause: "the engine resigned"}
	}
	if s.answer, err = aei.ParseMove(g, text); err != nil {
		cause := fmt.Sprintf("illegal move %.120q: %v", text, err)
		if logged := s.client.Logged(); logged != "" {
			cause += fmt.Sprintf("; it logged %q", logged)
		}
		return &Forfeit{Cause: cause}
	}
	return nil
}

// Begin starts the clock of the game: the other player's program may have taken its time to be ready.
func (s *externalSeat) Begin() {
	s.begun = time.Now()
	s.handed = s.begun
}

// Stops reports whether the total of the time control has been reached.
func (s *externalSeat) Stops(g *game.Game) bool {
	s.clock.Elapsed = time.Since(s.begun)
	return s.clock.Over(g.Turns())
}

// Close ends the engine's process.
func (s *externalSeat) Close() error {
	if s.client == nil {
		return nil
	}
	return s.client.Close()
}

// Startable returns an error if the player is an external engine whose program cannot be
// found. It is asked before games are begun that would end with the first of its own.
func (e *Entrant) Startable() error {
	p, external := e.Player.(*External)
	if !external {
		return nil
	}
	if _, err := exec.LookPath(p.Command[0]); err != nil {
		return fmt.Errorf("the engine %s cannot be started: %w", p.Label, err)
	}
	return nil
}
