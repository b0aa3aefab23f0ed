package arena

import (
	"context"
	"errors"
	"fmt"

	"warren/game"
	"warren/internal/think"
)

// timedMemory limits the tree of a timed seat, in bytes. It is enough for a minute of one core.
const timedMemory = 1 << 30

// timedSeat is the seat of a network with a limit on its time. Its setups, which should differ from
// game to game, are those of a network without one.
type timedSeat struct {
	setup  *searcherSeat
	turns  turnSeat
	engine *think.Engine
}

func (p *Searcher) sitTimed(setup *searcherSeat) (Seat, error) {
	engine, err := think.New(think.Config{
		Search: p.Search, Threads: max(p.Threads, 1), Memory: timedMemory, Tactics: true, Backend: p.Backend,
	})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("seating %s: %w", p.Label, err), setup.Close())
	}
	s := &timedSeat{setup: setup, engine: engine}
	s.turns.choose = func(ctx context.Context, g *game.Game) ([]game.Action, error) {
		return engine.Turn(ctx, g, think.Limits{Time: p.Time}, think.Draw{}, nil)
	}
	return s, nil
}

func (s *timedSeat) Act(ctx context.Context, g *game.Game) (game.Action, error) {
	if g.InSetup() {
		return s.setup.Act(ctx, g)
	}
	return s.turns.Act(ctx, g)
}

// Watch keeps the part of the tree below the opponent's actions.
func (s *timedSeat) Watch(before *game.Game, a game.Action) error {
	s.engine.Follow(before, []game.Action{a})
	return nil
}

// Close releases the streams.
func (s *timedSeat) Close() error { return errors.Join(s.engine.Close(), s.setup.Close()) }
