package think

import (
	"context"
	"math/rand/v2"

	"warren/game"
	"warren/internal/gather"
	"warren/mcts"
)

// Setup returns the placements that complete the setup of the side to act: one of a number of samples of
// the policy, drawn by their values (see [mcts.Setup]). An error is as for Turn.
func (e *Engine) Setup(ctx context.Context, g *game.Game, samples int, rng *rand.Rand) ([]game.Action, error) {
	for {
		err := e.open()
		if err == nil {
			var placements []game.Action
			if placements, err = e.sampleSetup(ctx, g, samples, rng); err == nil {
				return placements, nil
			}
		}
		if err := e.move(err); err != nil {
			return nil, err
		}
	}
}

func (e *Engine) sampleSetup(ctx context.Context, g *game.Game, samples int, rng *rand.Rand) ([]game.Action, error) {
	setup := mcts.NewSetup(e.config.Search)
	setup.Begin(g, samples, 1, rng)
	var leaves gather.Leaves
	for {
		for leaves.Len() < e.most && leaves.Take(setup) == mcts.Evaluate {
		}
		if leaves.Len() == 0 {
			return setup.Choose(), nil
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := leaves.Evaluate(e.workers[0].stream); err != nil {
			return nil, err
		}
		leaves.Return()
	}
}
