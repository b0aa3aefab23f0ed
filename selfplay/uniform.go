package selfplay

import "warren/game"

// Uniform is the evaluator that knows nothing: every legal action is as likely
// as any other, and either side as likely to win. A search over it still sees
// wins within its reach. It costs next to nothing, where an untrained network,
// which knows as little, costs as much as a trained one.
type Uniform struct{}

// Evaluate fills in equal priors and even chances.
func (Uniform) Evaluate(positions []*game.Game, legal [][]game.Action, priors [][]float32, values []float32) error {
	for i := range positions {
		for j := range priors[i] {
			priors[i][j] = 1 / float32(len(legal[i]))
		}
		values[i] = 0.5
	}
	return nil
}

// Untrained returns generation 0 as self-play takes it.
func Untrained() *Network {
	return &Network{Hash: "uniform", NewEvaluator: func(int) (Evaluator, error) { return Uniform{}, nil }}
}
