package eval

import "math/rand/v2"

// Uniform is a back end without knowledge: all legal actions are about equally
// likely, and both sides are equally likely to win. A search with it still sees
// wins within its reach. It takes almost no time, while an untrained network, which
// knows as little, takes as long as a trained one.
type Uniform struct{}

var _ Backend = Uniform{}

// Attributes describes the evaluator. Its results are the same on every machine.
func (Uniform) Attributes() Attributes {
	return Attributes{Device: "none", Path: "uniform", Precision: "exact", Best: 1, Depth: 1}
}

// Open returns a stream.
func (Uniform) Open(int) (Stream, error) { return &Immediate{Evaluate: uniform}, nil }

// jitter is the most by which the largest prior exceeds the smallest, as a
// fraction. If all were equal, the search would try actions in the order of their
// numbers, which begins with steps to the north: forward for Gold only.
const jitter = 0.1

// uniform fills in even chances, and priors that differ slightly by random numbers
// seeded with the position's key.
func uniform(b *Batch) error {
	for i, g := range b.positions {
		chance := rand.NewPCG(g.EvalKey(), 0)
		priors, sum := b.Priors(i), float32(0)
		for j := range priors {
			priors[j] = 1 + float32(jitter*float32(chance.Uint64()>>40)/(1<<24))
			sum += priors[j]
		}
		for j := range priors {
			priors[j] /= sum
		}
		b.values[i] = 0.5
	}
	return nil
}
