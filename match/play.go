package match

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"

	"warren/game"
)

// Config says how a match is played.
type Config struct {
	Games     int    // rounded up to whole pairs
	Seed      uint64 // of the match
	TurnLimit int    // turns of both players together, then the official score decides
	Workers   int    // games at once; 0 is one for every core
}

// Game is one game of a match, as it went.
type Game struct {
	Number  int           // in the match, from 0; 2n and 2n+1 are a pair
	Gold    bool          // whether the first player had Gold
	Actions []game.Action // setups included
	Turns   int
	Result  game.Result
}

// Won reports whether the first player won.
func (g *Game) Won() bool { return (g.Result.Winner == game.Gold) == g.Gold }

// Play plays a match of a against b. Every finished game is given to observe,
// one at a time and in the order in which they end; nil is no observer. If the
// context ends first the score is that of the games finished so far.
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
		next    int
		numbers = config.Games + config.Games%2
	)
	take := func() (int, bool) {
		mu.Lock()
		defer mu.Unlock()
		next++
		return next - 1, next <= numbers
	}
	for range min(workers, numbers) {
		group.Go(func() {
			for {
				number, ok := take()
				if !ok {
					return
				}
				g, err := playGame(ctx, &config, a, b, number)
				if err != nil {
					cancel(fmt.Errorf("game %d of %s against %s: %w", number+1, a.Name(), b.Name(), err))
					return
				}
				mu.Lock()
				score.add(g)
				if observe != nil {
					observe(g)
				}
				mu.Unlock()
			}
		})
	}
	group.Wait()
	return score, context.Cause(ctx)
}

func playGame(ctx context.Context, config *Config, a, b Player, number int) (*Game, error) {
	record := &Game{Number: number, Gold: number%2 == 0}
	pair := uint64(number / 2)
	var seats [2]Seat
	players := [2]Player{a, b}
	if !record.Gold {
		players = [2]Player{b, a}
	}
	for color, p := range players {
		// The seed goes with the colour, not with the player: a lucky opening is
		// then each player's once.
		seat, err := p.Sit(config.Seed + 2*pair + uint64(color))
		if err != nil {
			return nil, err
		}
		seats[color] = seat
	}
	g := game.New()
	var legal []game.Action
	for !g.Result().Over() {
		if g.Turns() >= config.TurnLimit {
			record.Result = game.Result{Winner: g.Score(), Reason: game.TurnLimit}
			record.Turns = g.Turns()
			return record, nil
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		action, err := seats[g.Side()].Act(g)
		if err != nil {
			return nil, err
		}
		legal = g.Legal(legal[:0])
		if !slices.Contains(legal, action) {
			return nil, fmt.Errorf("%s made the illegal action %d in turn %d", g.Side(), action, g.Turns()+1)
		}
		g.Play(action)
		record.Actions = append(record.Actions, action)
	}
	record.Result, record.Turns = g.Result(), g.Turns()
	return record, nil
}
