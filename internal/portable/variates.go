package portable

import (
	"math"
	"math/rand/v2"
)

// Exponential draws from the exponential distribution with rate 1.
func Exponential(r *rand.Rand) float64 {
	return -Log(1 - float64(r.Float64())) // 1 - Float64 is never 0
}

// Normal draws from the normal distribution with mean 0 and standard deviation 1.
//
// Source: Marsaglia and Bray, "A convenient method for generating normal variables", 1964.
func Normal(r *rand.Rand) float64 {
	for {
		x, y := 2*(float64(r.Float64())-0.5), 2*(float64(r.Float64())-0.5)
		s := float64(x*x) + float64(y*y)
		if 0 < s && s < 1 {
			return float64(x * math.Sqrt(-2*Log(s)/s))
		}
	}
}
