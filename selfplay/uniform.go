package selfplay

import (
	"math/rand/v2"

	"warren/game"
)

// Uniform is the evaluator that knows nothing: every legal action is about as
// likely as any other, and either side as likely to win. A search over it still
// sees wins within its reach. It costs next to nothing, where an untrained
// network, which knows as little, costs as much as a trained one.
type Uniform struct{}

// jitter is how much larger than the smallest prior the largest may be. Were
// all equal, the search would try actions in the order of their numbers, which
// begins with the steps to the north: Gold's way and not Silver's.
const jitter = 0.1

// Evaluate fills in even chances, and priors that differ only by a little, as
// the position's key has it.
func (Uniform) Evaluate(positions []*game.Game, legal [][]game.Action, priors [][]float32, values []float32) error {
	for i, g := range positions {
		chance := rand.NewPCG(g.EvalKey(), 0)
		sum := float32(0)
		for j := range legal[i] {
			priors[i][j] = 1 + jitter*float32(chance.Uint64()>>40)/(1<<24)
			sum += priors[i][j]
		}
		for j := range legal[i] {
			priors[i][j] /= sum
		}
		values[i] = 0.5
	}
	return nil
}

// Untrained returns generation 0 as self-play takes it.
func Untrained() *Network {
	return &Network{Hash: "uniform", NewEvaluator: func(int) (Evaluator, error) { return Uniform{}, nil }}
}
