package arena

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"warren/game"
	"warren/internal/think"
)

// timedMemory limits the tree of a timed seat with the given number of threads, in bytes. A gigabyte is enough for a
// minute of one core, and four for the ten seconds of level 12 on 24 cores. A machine may have no more.
func timedMemory(threads int) int64 { return int64(min(threads, 4)) << 30 }

// timedSeat is the seat of a network with a limit on its time.
type timedSeat struct {
	turnSeat
	engine *think.Engine
}

func (p *Searcher) sitTimed(rng *rand.Rand) (Seat, error) {
	threads := max(p.Threads, 1)
	engine, err := think.New(think.Config{
		Search: p.Search, Threads: threads, Memory: timedMemory(threads), Keep: true, Tactics: true, Backend: p.Backend,
	})
	if err != nil {
		return nil, fmt.Errorf("seating %s: %w", p.Label, err)
	}
	choose := func(ctx context.Context, g *game.Game) ([]game.Action, error) {
		if g.InSetup() {
			return p.setUp(ctx, g, engine, rng)
		}
		limits := think.Limits{Time: p.Time}
		if end, ok := ctx.Deadline(); ok { // a clock, whose end loses the game
			limits.Time = max(time.Millisecond, min(p.Time, time.Until(end)/2))
		}
		turn, err := engine.Turn(ctx, g, limits, think.Draw{}, nil)
		return turn, p.choosing("a turn", err)
	}
	return &timedSeat{turnSeat{choose: choose}, engine}, nil
}

// Close releases the streams.
func (s *timedSeat) Close() error { return s.engine.Close() }
