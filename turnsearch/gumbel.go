package turnsearch

import (
	"math"
	"math/rand/v2"
)

// gumbel draws a standard Gumbel variate.
func gumbel(rng *rand.Rand) float64 {
	return -math.Log(max(rng.ExpFloat64(), math.SmallestNonzeroFloat64))
}

// perturb draws a Gumbel variate for each edge, located at the logarithm of the
// edge's probability, under the condition that their maximum is largest. The
// edges share the probability whose logarithm is given. This is sampling without
// replacement from the top of a tree down (Kool, van Hoof and Welling 2019,
// "Stochastic Beams and Where to Find Them", sec. 4.1 and appendix B.3).
func perturb(noise []float64, edges []edge, logarithm, largest float64, rng *rand.Rand) {
	top := math.Inf(-1)
	for i := range edges {
		noise[i] = logarithm + math.Log(float64(edges[i].sampled)) + gumbel(rng)
		top = max(top, noise[i])
	}
	for i, g := range noise {
		// The largest has v = -Inf and becomes largest itself.
		v := largest - g + math.Log(-math.Expm1(g-top))
		noise[i] = largest - max(0, v) - math.Log1p(math.Exp(-math.Abs(v)))
	}
}
