package think

import (
	"context"
	"math/rand/v2"

	"warren/game"
	"warren/internal/gather"
	"warren/mcts"
)

// Setup returns placements that complete the setup of the side to act, drawn from the policy with the temperature (see
// [mcts.Setup]). An error is as for Turn.
func (e *Engine) Setup(ctx context.Context, g *game.Game, temperature float64, rng *rand.Rand) ([]game.Action, error) {
	for {
		err := e.open()
		if err == nil {
			var placements []game.Action
			if placements, err = e.drawSetup(ctx, g, temperature, rng); err == nil {
				return placements, nil
			}
		}
		if err := e.move(err); err != nil {
			return nil, err
		}
	}
}

func (e *Engine) drawSetup(ctx context.Context, g *game.Game, temperature float64, rng *rand.Rand) ([]game.Action, error) {
	var setup mcts.Setup
	setup.Begin(g, temperature, rng)
	var leaves gather.Leaves
	for leaves.Take(&setup) == mcts.Evaluate {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := leaves.Evaluate(e.workers[0].stream); err != nil {
			return nil, err
		}
		leaves.Return()
	}
	var actions []game.Action
	for _, p := range setup.Placements() {
		actions = append(actions, p.Action)
	}
	return actions, nil
}
