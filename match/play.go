package match

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"sync"

	"warren/game"
	"warren/rating"
)

// Config says how a match is played.
type Config struct {
	Games     int          // rounded up to whole pairs
	Seed      uint64       // of the match
	TurnLimit int          // turns of both players together, then the official score decides
	Workers   int          // games at once; 0 is one for every core
	Openings  Openings     // nil: the players' own
	Test      *rating.SPRT // ends the match as soon as it is decided; nil: all games are played
}

// Game is one game of a match, as it went.
type Game struct {
	Number  int           // in the match, from 0; 2n and 2n+1 are a pair
	Gold    bool          // whether the first player had Gold
	Actions []game.Action // setups included
	Turns   int
	Result  game.Result // of a forfeit: the winner, and no reason
	Forfeit string      // who lost by its own fault, and by which; empty otherwise
}

// Won reports whether the first player won.
func (g *Game) Won() bool { return (g.Result.Winner == game.Gold) == g.Gold }

// Play plays a match of a against b. Every finished game is given to observe,
// one at a time and in the order in which they end; nil is no observer. If the
// context ends first the score is that of the games finished so far.
//
// With a test, games that were begun when it was decided are finished and count
// in the score, but not in the test: its decision comes of the pairs in their
// order, and so is the same however many games are played at once.
func Play(ctx context.Context, config Config, a, b Player, observe func(*Game)) (Score, error) {
	workers := config.Workers
	if workers == 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)

	var (
		group   sync.WaitGroup
		mu      sync.Mutex
		score   Score
		trial   = trial{test: config.Test}
		next    int
		numbers = config.Games + config.Games%2
	)
	take := func() (int, bool) {
		mu.Lock()
		defer mu.Unlock()
		next++
		return next - 1, next <= numbers && trial.decision == rating.Undecided
	}
	for range min(workers, numbers) {
		group.Go(func() {
			for {
				number, ok := take()
				if !ok {
					return
				}
				g, err := playGame(ctx, pairing{a, b, number, config.Seed + uint64(number/2*2), opening(config.Openings, number/2, config.Seed)}, config.TurnLimit)
				if err != nil {
					cancel(fmt.Errorf("game %d of %s against %s: %w", number+1, a.Name(), b.Name(), err))
					return
				}
				mu.Lock()
				score.add(g)
				trial.add(g)
				if observe != nil {
					observe(g)
				}
				mu.Unlock()
			}
		})
	}
	group.Wait()
	score.Test, score.Pairs = trial.decision, trial.pairs
	return score, context.Cause(ctx)
}

// opening returns the opening of a pair; nil openings are the players' own.
func opening(o Openings, pair int, seed uint64) []game.Action {
	if o == nil {
		return nil
	}
	return o.Opening(pair, seed)
}

// pairing is a game to be played.
type pairing struct {
	a, b    Player
	number  int    // of the game; 2n and 2n+1 are a pair
	seed    uint64 // Gold's; Silver's is the next. The same in both games of a pair
	opening []game.Action
}

// playGame plays a game. In the first of a pair a has Gold.
func playGame(ctx context.Context, p pairing, turnLimit int) (*Game, error) {
	record := &Game{Number: p.number, Gold: p.number%2 == 0}
	players := [2]Player{p.a, p.b}
	if !record.Gold {
		players = [2]Player{p.b, p.a}
	}
	t := table{game: game.New(), players: players, record: record}
	defer t.close()
	err := t.play(ctx, p, turnLimit)
	if forfeit := (*Forfeit)(nil); errors.As(err, &forfeit) && ctx.Err() == nil {
		loser := t.asked
		record.Forfeit = players[loser].Name() + " " + forfeit.Error()
		record.Result, record.Turns = game.Result{Winner: loser.Other()}, t.game.Turns()
		return record, nil
	}
	return record, err
}

// table is where one game is played.
type table struct {
	game    *game.Game
	players [2]Player // by colour
	seats   [2]Seat
	asked   game.Color // whose player was called last, and so whose fault an error is
	record  *Game
	legal   []game.Action
}

// play plays the game to its end or to an error.
func (t *table) play(ctx context.Context, p pairing, turnLimit int) error {
	for color, player := range t.players {
		t.asked = game.Color(color)
		// The seed goes with the colour, not with the player: a lucky opening is
		// then each player's once.
		seat, err := player.Sit(p.seed + uint64(color))
		if err != nil {
			return err
		}
		t.seats[color] = seat
	}
	g := t.game
	for _, action := range p.opening {
		if err := t.make(action); err != nil {
			return err
		}
	}
	for !g.Result().Over() {
		if g.Turns() >= turnLimit || t.stopped() {
			t.record.Result = game.Result{Winner: g.ScoreWinner(), Reason: game.TurnLimit}
			t.record.Turns = g.Turns()
			return nil
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		t.asked = g.Side()
		action, err := t.seats[g.Side()].Act(ctx, g)
		if err != nil {
			return err
		}
		t.legal = g.Legal(t.legal[:0])
		if !slices.Contains(t.legal, action) {
			return fmt.Errorf("%s made the illegal action %d in turn %d", g.Side(), action, g.Turns()+1)
		}
		if err := t.make(action); err != nil {
			return err
		}
	}
	t.record.Result, t.record.Turns = g.Result(), g.Turns()
	return nil
}

// stopped reports whether a seat stops the game where a turn begins.
func (t *table) stopped() bool {
	if t.game.StepsLeft() != 4 {
		return false
	}
	return slices.ContainsFunc(t.seats[:], func(seat Seat) bool {
		s, ok := seat.(Stopper)
		return ok && s.Stops(t.game)
	})
}

// make plays an action and lets the seats see it.
func (t *table) make(action game.Action) error {
	for color, seat := range t.seats {
		if w, ok := seat.(Watcher); ok {
			t.asked = game.Color(color)
			if err := w.Watch(t.game, action); err != nil {
				return err
			}
		}
	}
	t.game.Play(action)
	t.record.Actions = append(t.record.Actions, action)
	return nil
}

func (t *table) close() {
	for _, seat := range t.seats {
		if c, ok := seat.(io.Closer); ok {
			c.Close()
		}
	}
}
