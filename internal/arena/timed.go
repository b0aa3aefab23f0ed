package arena

import (
	"context"
	"fmt"
	"math/rand/v2"

	"warren/game"
	"warren/internal/think"
)

// timedMemory limits the tree of a timed seat, in bytes. It is enough for a minute of one core.
const timedMemory = 1 << 30

// timedSeat is the seat of a network with a limit on its time.
type timedSeat struct {
	setup  Seat
	turns  turnSeat
	engine *think.Engine
}

func (p *Searcher) sitTimed(rng *rand.Rand) (Seat, error) {
	engine, err := think.New(think.Config{
		Search: p.Search, Threads: max(p.Threads, 1), Memory: timedMemory, Keep: true, Tactics: true, Backend: p.Backend,
	})
	if err != nil {
		return nil, fmt.Errorf("seating %s: %w", p.Label, err)
	}
	s := &timedSeat{setup: p.setUp(engine, rng), engine: engine}
	s.turns.choose = func(ctx context.Context, g *game.Game) ([]game.Action, error) {
		turn, err := engine.Turn(ctx, g, think.Limits{Time: p.Time}, think.Draw{}, nil)
		return turn, p.choosing("a turn", err)
	}
	return s, nil
}

func (s *timedSeat) Act(ctx context.Context, g *game.Game) (game.Action, error) {
	if g.InSetup() {
		return s.setup.Act(ctx, g)
	}
	return s.turns.Act(ctx, g)
}

// Close releases the streams.
func (s *timedSeat) Close() error { return s.engine.Close() }
