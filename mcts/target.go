package mcts

import (
	"math"
	"slices"

	"warren/internal/portable"
)

// smallestShare is the share below which a policy target leaves an action out.
const smallestShare = 1e-4

// target appends the policy target to shares: the root's priors times exp(scale * completed
// Q), normalized (Grill et al. 2020; Danihelka et al. 2022, sec. 4). The priors are without
// noise and without the share for captures.
func (r *improved) target(t *tree, priors []float32, scale float64, shares []Share) []Share {
	values, _, _ := r.complete(t, priors)
	best := slices.Max(values)
	var sum float64
	for i, q := range values {
		r.policy[i] = float64(max(float64(priors[i]), math.SmallestNonzeroFloat32) * portable.Exp(scale*(q-best)))
		sum += r.policy[i]
	}
	policy := r.policy[:len(values)]
	for i := range policy {
		policy[i] /= sum
	}
	return appendShares(shares, t, policy)
}

// appendShares appends the shares of a policy over the root's actions to buf, without
// the smallest. The others are scaled to sum to 1.
func appendShares(buf []Share, t *tree, policy []float64) []Share {
	kept := 0.0
	for _, p := range policy {
		if p >= smallestShare {
			kept += p
		}
	}
	for i, p := range policy {
		if p >= smallestShare {
			buf = append(buf, Share{t.actions[t.nodes[0].first+int32(i)], float32(p / kept)})
		}
	}
	return buf
}
