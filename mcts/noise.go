package mcts

import (
	"math"
	"math/rand/v2"

	"warren/internal/portable"
)

// dirichlet fills p with a draw from the symmetric Dirichlet distribution with
// concentration alpha > 0 for each element: gamma variates over their sum. They
// are drawn as logarithms, because for a small alpha all of them may be too
// small for a float64.
func dirichlet(p []float64, alpha float64, rng *rand.Rand) {
	largest := math.Inf(-1)
	for i := range p {
		p[i] = logGamma(alpha, rng)
		largest = max(largest, p[i])
	}
	var sum float64
	for i := range p {
		p[i] = portable.Exp(p[i] - largest)
		sum += p[i]
	}
	for i := range p {
		p[i] /= sum
	}
}

// logGamma draws the logarithm of a gamma variate of shape alpha > 0 and scale
// 1 by the method of Marsaglia and Tsang (2000); for a shape below 1 it draws
// from shape+1 and corrects the result, as in their section 6.
func logGamma(alpha float64, rng *rand.Rand) float64 {
	if alpha < 1 {
		// 1 - Float64 is never 0.
		return logGamma(alpha+1, rng) + portable.Log(1-float64(rng.Float64()))/alpha
	}
	d := alpha - 1.0/3
	c := 1 / math.Sqrt(9*d)
	for {
		x := portable.Normal(rng)
		v := 1 + float64(c*x) // not fused, as below
		if v <= 0 {
			continue
		}
		logV := float64(3 * portable.Log(v))
		if portable.Log(1-float64(rng.Float64())) < float64(0.5*x*x)+d-float64(d*v*v*v)+float64(d*logV) {
			return portable.Log(d) + logV
		}
	}
}
