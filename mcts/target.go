package mcts

import (
	"math"
	"slices"
)

// smallestShare is the share below which a policy target leaves an action out.
const smallestShare = 1e-4

// target appends the policy target to shares: the root's priors times exp(scale * completed
// Q), normalized (Grill et al. 2020; Danihelka et al. 2022, sec. 4). The priors are without
// noise and without the share for captures.
func (r *improved) target(t *tree, scale float64, shares []Share) []Share {
	values, _, _ := r.complete(t, 0)
	best := slices.Max(values)
	var sum float64
	for i, q := range values {
		r.policy[i] = float64(max(float64(t.ownPriors[i]), math.SmallestNonzeroFloat32) * math.Exp(scale*(q-best)))
		sum += r.policy[i]
	}
	least, kept := smallestShare*sum, 0.0
	for i := range values {
		if r.policy[i] >= least {
			kept += r.policy[i]
		}
	}
	for i := range values {
		if r.policy[i] >= least {
			shares = append(shares, Share{t.actions[int(t.nodes[0].first)+i], float32(r.policy[i] / kept)})
		}
	}
	return shares
}
