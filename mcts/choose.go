package mcts

import (
	"math"
	"math/rand/v2"

	"warren/game"
)

// Choose picks the action to play: with probability proportional to
// visits^(1/temperature), and at temperature 0 the one with the most visits, of
// equal ones the one with the highest prior. If no action has a visit the
// priors take the place of the visits. It reports false if the root has not
// been evaluated, or its game is over. The rng is used only if the temperature
// is not 0.
func (s *Search) Choose(temperature float64, rng *rand.Rand) (game.Action, bool) {
	if len(s.nodes) == 0 {
		return 0, false
	}
	if temperature <= 0 {
		return s.actions[s.mostVisited(0)], true
	}
	var buf [game.NumActions]float64
	weights := buf[:len(s.rootPriors)]
	s.weights(weights)
	var largest, sum float64
	for _, w := range weights {
		largest = max(largest, w)
	}
	for i, w := range weights {
		weights[i] = math.Pow(w/largest, 1/temperature)
		sum += weights[i]
	}
	// Rounding may leave rest above 0 at the end, so the last possible action
	// stands by.
	rest := rng.Float64() * sum
	chosen := 0
	for i, w := range weights {
		if w == 0 {
			continue
		}
		chosen = i
		if rest -= w; rest < 0 {
			break
		}
	}
	return s.actions[int(s.nodes[0].first)+chosen], true
}

// PolicyTarget appends to buf what the search would teach a policy, and returns
// it: each root action's share of the visits, in the order of [Search.Root].
func (s *Search) PolicyTarget(buf []float32) []float32 {
	var weights [game.NumActions]float64
	n := len(s.rootPriors)
	sum := s.weights(weights[:n])
	for _, w := range weights[:n] {
		buf = append(buf, float32(w/sum))
	}
	return buf
}

// weights fills in the visits of the root's actions, or their priors if none
// has a visit, and returns the sum.
func (s *Search) weights(w []float64) (sum float64) {
	for i := range w {
		w[i] = float64(s.edges[int(s.nodes[0].first)+i].visits)
		sum += w[i]
	}
	if sum > 0 {
		return sum
	}
	for i, p := range s.rootPriors {
		w[i] = float64(p)
		sum += w[i]
	}
	return sum
}
