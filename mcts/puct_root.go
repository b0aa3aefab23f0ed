package mcts

import (
	"math"
	"math/rand/v2"

	"warren/game"
	"warren/internal/portable"
)

// puctRoot is the root rule of AlphaZero: Dirichlet noise in the priors, PUCT,
// and an outcome by visits.
type puctRoot struct {
	puct     *puct
	fraction float64 // weight of the noise
	alpha    float64 // concentration of the noise, for all actions together
	bound    float64 // of the lower confidence bound, in standard errors
	scale    float64 // of values in the policy target; 0 if visits are the target
	improved improved
}

func newPUCTRoot(c Config) *puctRoot {
	return &puctRoot{
		puct:     newPUCT(c, c.RootFPUReduction),
		bound:    c.LCB,
		scale:    c.PolicyTargetScale,
		fraction: c.NoiseFraction,
		alpha:    c.NoiseAlpha,
	}
}

// prepare mixes noise into the root's priors.
func (r *puctRoot) prepare(t *tree, _ int, rng *rand.Rand) {
	if r.fraction == 0 || rng == nil {
		return
	}
	edges := t.rootEdges()
	var buf [game.NumActions]float64
	noise := buf[:len(edges)]
	dirichlet(noise, r.alpha/float64(len(edges)), rng)
	keep := 1 - r.fraction
	for i := range edges {
		edges[i].prior = float32(float64(keep*float64(edges[i].prior)) + float64(r.fraction*noise[i]))
	}
	t.nodes[0].open = t.nodes[0].count
}

func (r *puctRoot) choose(t *tree) int32 { return r.puct.choose(t, 0, choice{}) }

func (r *puctRoot) outcome(t *tree, priors []float32, temperature float64, rng *rand.Rand, target []Share) Outcome {
	var buf [game.NumActions]float64
	first := t.nodes[0].first
	weights := buf[:t.nodes[0].count]
	sum, searched := rootWeights(t, weights)
	out := Outcome{Action: t.actions[r.preferred(t)], Target: target}
	if r.scale > 0 && searched {
		out.Target = r.improved.target(t, priors, r.scale, out.Target)
	} else {
		for i, w := range weights {
			if w > 0 {
				out.Target = append(out.Target, Share{t.actions[int(first)+i], float32(w / sum)})
			}
		}
	}
	if searched {
		out.Weight = 1
	}
	if temperature > 0 {
		out.Action = t.actions[int(first)+sample(weights, temperature, rng)]
	}
	return out
}

// rootWeights sets w to the visits of the root's actions, or to their own
// priors if none has a visit. Proven losses have weight 0, unless all actions
// are lost. rootWeights returns the sum of the weights, and whether there were
// visits.
func rootWeights(t *tree, w []float64) (sum float64, searched bool) {
	for i, e := range t.rootEdges() {
		w[i] = float64(e.visits)
		if t.avoided(t.nodes[0].first + int32(i)) {
			w[i] = 0
		}
		sum += w[i]
	}
	if sum > 0 {
		return sum, true
	}
	for i, p := range t.rootPriors {
		if t.avoided(t.nodes[0].first + int32(i)) {
			continue
		}
		// A prior may be 0, but some action is always left to choose.
		w[i] = max(float64(p), math.SmallestNonzeroFloat32)
		sum += w[i]
	}
	return sum, false
}

// sample draws an index with probability proportional to
// weights[i]^(1/temperature). It overwrites the weights.
func sample(weights []float64, temperature float64, rng *rand.Rand) int {
	var largest, sum float64
	for _, w := range weights {
		largest = max(largest, w)
	}
	for i, w := range weights {
		weights[i] = portable.Pow(w/largest, 1/temperature)
		sum += weights[i]
	}
	// Rounding may leave rest positive after the last weight, so the last
	// possible index is kept.
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
	return chosen
}
