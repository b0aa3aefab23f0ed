package eval

import "math/rand/v2"

// Uniform is the back end that knows nothing: every legal action is about as
// likely as any other, and either side as likely to win. A search over it still
// sees wins within its reach. It costs next to nothing, where an untrained
// network, which knows as little, costs as much as a trained one.
type Uniform struct{}

var _ Backend = Uniform{}

// Attributes describes the evaluator, whose results are exact everywhere.
func (Uniform) Attributes() Attributes {
	return Attributes{Device: "none", Path: "uniform", Precision: "exact", Best: 1, Depth: 1}
}

// Open returns a stream.
func (Uniform) Open(int) (Stream, error) { return &Immediate{Evaluate: uniform}, nil }

// jitter is how much larger than the smallest prior the largest may be. Were
// all equal, the search would try actions in the order of their numbers, which
// begins with the steps to the north: Gold's way and not Silver's.
const jitter = 0.1

// uniform fills in even chances, and priors that differ a little by a random
// number drawn from the position's key.
func uniform(b *Batch) error {
	for i, g := range b.positions {
		chance := rand.NewPCG(g.EvalKey(), 0)
		priors, sum := b.Priors(i), float32(0)
		for j := range priors {
			priors[j] = 1 + jitter*float32(chance.Uint64()>>40)/(1<<24)
			sum += priors[j]
		}
		for j := range priors {
			priors[j] /= sum
		}
		b.values[i] = 0.5
	}
	return nil
}
