package net

import (
	"fmt"
	"math"

	"warren/game"
)

// Evaluator evaluates game states with a network: it encodes them, runs a
// Plan, and makes probabilities of the logits of the legal actions. It is for
// one goroutine at a time; evaluators of one network share its weights. A
// state's evaluation is the same bits whatever else is evaluated with it.
type Evaluator struct {
	plan   *Plan
	x      []float32 // [maxBatch][64][NumPlanes]
	policy []float32 // [maxBatch][263]
}

// NewEvaluator makes an evaluator that runs the network on at most maxBatch
// positions at a time, at least 1. Memory is proportional to maxBatch; 8 to 32
// is enough for full speed.
func NewEvaluator(n *Network, maxBatch int) *Evaluator {
	p := NewPlan(n, maxBatch)
	return &Evaluator{
		plan:   p,
		x:      make([]float32, p.maxBatch*InputSize),
		policy: make([]float32, p.maxBatch*game.NumActions),
	}
}

// Evaluate fills values[i] with the chance, 0 to 1, that the side to move in
// positions[i] wins, and priors[i] with the probabilities of the actions
// legal[i], which sum to 1; logits of other actions play no part. Any number
// of positions is taken, in batches of the evaluator's size.
//
// It is an error, and says which position, if the four slices differ in
// length, a priors[i] is not as long as legal[i], an action is none, or the
// network's answer is not a number.
func (e *Evaluator) Evaluate(positions []*game.Game, legal [][]game.Action, priors [][]float32, values []float32) error {
	if len(legal) != len(positions) || len(priors) != len(positions) || len(values) != len(positions) {
		return fmt.Errorf("evaluating %d positions: got %d lists of legal actions, %d of priors and %d values",
			len(positions), len(legal), len(priors), len(values))
	}
	for i, g := range positions {
		if g == nil {
			return fmt.Errorf("evaluating position %d of %d: it is nil", i, len(positions))
		}
		if len(priors[i]) != len(legal[i]) {
			return fmt.Errorf("evaluating position %d of %d: %d legal actions but room for %d priors",
				i, len(positions), len(legal[i]), len(priors[i]))
		}
		for _, a := range legal[i] {
			if a >= game.NumActions {
				return fmt.Errorf("evaluating position %d of %d: there is no action %d", i, len(positions), a)
			}
		}
	}
	for first := 0; first < len(positions); first += e.plan.maxBatch {
		n := min(e.plan.maxBatch, len(positions)-first)
		for i, g := range positions[first:][:n] {
			Encode(g, e.x[i*InputSize:])
		}
		e.plan.Forward(e.x, n, e.policy, values[first:])
		for i, g := range positions[first:][:n] {
			at := first + i
			logits := e.policy[i*game.NumActions:][:game.NumActions]
			if !softmax(priors[at], logits, legal[at], g.Side()) || math.IsNaN(float64(values[at])) {
				return fmt.Errorf("evaluating position %d of %d: the network's answer is not a number; its weights are damaged or its training diverged",
					at, len(positions))
			}
		}
	}
	return nil
}

// softmax sets priors to the probabilities of the actions legal for side. It
// reports false if a logit is infinite or not a number.
func softmax(priors, logits []float32, legal []game.Action, side game.Color) bool {
	peak := float32(math.Inf(-1))
	for i, a := range legal {
		l := logits[PolicyIndex(a, side)]
		priors[i] = l
		peak = max(peak, l) // NaN if any is
	}
	if len(legal) == 0 {
		return true
	}
	if p := float64(peak); math.IsNaN(p) || math.IsInf(p, 0) {
		return false
	}
	sum := float32(0)
	for i, l := range priors {
		// The largest logit gives 1, so neither overflow nor a zero sum.
		p := float32(math.Exp(float64(l - peak)))
		priors[i] = p
		sum += p
	}
	scale := 1 / sum
	for i := range priors {
		priors[i] *= scale
	}
	return true
}
