package arena

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"warren/game"
)

// Played is a finished game of a match.
type Played struct {
	Number  int           // in the match, from 0; games 2n and 2n+1 are a pair
	Gold    bool          // whether the first player had Gold
	Actions []game.Action // setups included
	Turns   int
	Result  game.Result // of a forfeit: the winner and no reason
	Forfeit string      // which player forfeited and why; empty if neither did
}

// Won reports whether the first player won.
func (g *Played) Won() bool { return (g.Result.Winner == game.Gold) == g.Gold }

// Adjudicated reports whether the official score decided the game, because it
// reached the turn limit or because a [Stopper] stopped it.
func (g *Played) Adjudicated() bool { return g.Forfeit == "" && g.Result.Reason == game.TurnLimit }

// Fixture is a game to be played. Its result depends on nothing else if both players are portable: see
// [Entrant.Portable].
type Fixture struct {
	A, B      *Entrant
	Number    int    // games 2n and 2n+1 are a pair
	Seed      uint64 // Gold's; Silver's is the next. Both games of a pair have the same
	Opening   []game.Action
	TurnLimit int

	meter *Meter // nil: nobody looks
}

// Play plays the game. In the first game of a pair A has Gold.
func (f *Fixture) Play(ctx context.Context) (*Played, error) {
	record := &Played{Number: f.Number, Gold: f.Number%2 == 0}
	players := [2]Player{f.A, f.B}
	if !record.Gold {
		players = [2]Player{f.B, f.A}
	}
	s := sitting{game: game.New(), players: players, record: record, meter: f.meter}
	defer s.close()
	s.meter.add(1, 0)
	defer func() { s.meter.add(-1, -s.game.Turns()) }()
	err := s.play(ctx, f)
	if forfeit, ok := errors.AsType[*Forfeit](err); ok && ctx.Err() == nil {
		loser := s.asked
		record.Forfeit = players[loser].Name() + " " + forfeit.Error()
		record.Result, record.Turns = game.Result{Winner: loser.Other()}, s.game.Turns()
		return record, nil
	}
	return record, err
}

// sitting is two players playing one game.
type sitting struct {
	game    *game.Game
	players [2]Player // by colour
	seats   [2]Seat
	asked   game.Color // the player called last, who is at fault if there is an error
	record  *Played
	meter   *Meter
	legal   []game.Action
}

// play plays the game to its end or to an error.
func (s *sitting) play(ctx context.Context, f *Fixture) error {
	for color, player := range s.players {
		s.asked = game.Color(color)
		// The seed belongs to the colour, not to the player, so each player has a
		// lucky opening once.
		seat, err := player.Sit(ctx, f.Seed+uint64(color))
		if err != nil {
			return err
		}
		s.seats[color] = seat
	}
	for _, action := range f.Opening {
		if err := s.make(action); err != nil {
			return err
		}
	}
	for _, seat := range s.seats {
		if b, ok := seat.(Beginner); ok {
			b.Begin()
		}
	}
	g := s.game
	for !g.Result().Over() {
		if g.Turns() >= f.TurnLimit || s.stopped() {
			s.record.Result = game.Result{Winner: g.ScoreWinner(), Reason: game.TurnLimit}
			s.record.Turns = g.Turns()
			return nil
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		s.asked = g.Side()
		action, err := s.seats[g.Side()].Act(ctx, g)
		if err != nil {
			return err
		}
		s.legal = g.Legal(s.legal[:0])
		if !slices.Contains(s.legal, action) {
			return fmt.Errorf("%s made the illegal action %d in turn %d", g.Side(), action, g.Turns()+1)
		}
		if err := s.make(action); err != nil {
			return err
		}
	}
	s.record.Result, s.record.Turns = g.Result(), g.Turns()
	return nil
}

// stopped reports whether a seat stops the game at the start of this turn.
func (s *sitting) stopped() bool {
	if s.game.StepsLeft() != 4 {
		return false
	}
	return slices.ContainsFunc(s.seats[:], func(seat Seat) bool {
		stopper, ok := seat.(Stopper)
		return ok && stopper.Stops(s.game)
	})
}

// make plays an action and shows it to the seats.
func (s *sitting) make(action game.Action) error {
	for color, seat := range s.seats {
		if w, ok := seat.(Watcher); ok {
			s.asked = game.Color(color)
			if err := w.Watch(s.game, action); err != nil {
				return err
			}
		}
	}
	before := s.game.Turns()
	s.game.Play(action)
	s.meter.add(0, s.game.Turns()-before)
	s.record.Actions = append(s.record.Actions, action)
	return nil
}

func (s *sitting) close() {
	for _, seat := range s.seats {
		if c, ok := seat.(io.Closer); ok {
			c.Close()
		}
	}
}
