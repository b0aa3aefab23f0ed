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
func (e *Engine) Setup(ctx context.Context, g *game.Game, temperature float64, rng *rand.Rand) (placements []game.Action, err error) {
	err = e.attempt(func() error {
		var setup mcts.Setup
		setup.Begin(g, temperature, rng)
		var leaves gather.Leaves
		for leaves.Take(&setup) == mcts.Evaluate {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := leaves.Evaluate(e.workers[0].stream); err != nil {
				return err
			}
			leaves.Return()
		}
		for _, p := range setup.Placements() {
			placements = append(placements, p.Action)
		}
		return nil
	})
	return placements, err
}
