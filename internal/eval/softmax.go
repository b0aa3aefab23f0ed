package eval

import (
	"math"

	"warren/internal/portable"
)

// Softmax turns logits into the probabilities that they stand for, in place. It
// reports false if the largest logit is infinite, or any is not a number. Back ends
// call it for the legal actions of a position.
func Softmax(logits []float32) bool {
	if len(logits) == 0 {
		return true
	}
	peak := float32(math.Inf(-1))
	for _, l := range logits {
		peak = max(peak, l) // NaN if any is
	}
	if p := float64(peak); math.IsNaN(p) || math.IsInf(p, 0) {
		return false
	}
	sum := float32(0)
	for i, l := range logits {
		// The largest logit gives 1, so neither overflow nor a zero sum.
		p := float32(portable.Exp(float64(l - peak)))
		logits[i] = p
		sum += p
	}
	scale := 1 / sum
	for i := range logits {
		logits[i] *= scale
	}
	return true
}
