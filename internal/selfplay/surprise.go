package selfplay

import (
	"slices"

	"warren/data"
	"warren/internal/portable"
	"warren/mcts"
)

// surprises holds, by decision of a game, how far the policy target is from the prior. A decision
// is missing if its policy weight does not change: a fast search, a placement, or a search whose
// priors are unknown.
type surprises map[int]float64

// add notes the surprise of decision number at, whose search has the given root.
func (s surprises) add(at int, target []mcts.Share, root []mcts.ActionStats) {
	if kl, known := divergence(target, root); known {
		s[at] = kl
	}
}

// divergence returns the Kullback-Leibler divergence of a target from the root's priors, in
// nats. It is unknown if an action of the target has no prior.
func divergence(target []mcts.Share, root []mcts.ActionStats) (kl float64, known bool) {
	for _, t := range target {
		i := slices.IndexFunc(root, func(m mcts.ActionStats) bool { return m.Action == t.Action })
		if i < 0 || root[i].Prior <= 0 {
			return 0, false
		}
		share := float64(t.Share)
		kl += float64(share * portable.Log(share/float64(root[i].Prior)))
	}
	return max(kl, 0), len(target) > 0
}

// weigh redistributes part of the policy weights of a game's decisions, in proportion to their
// weight and their surprise. The sum of the weights stays the same.
func (s surprises) weigh(decisions []data.Decision, part float64) {
	var weight, surprise float64
	for i := range decisions {
		if kl, ok := s[i]; ok {
			w := float64(decisions[i].PolicyWeight)
			weight += w
			surprise += float64(w * kl)
		}
	}
	if surprise == 0 {
		return
	}
	mean := surprise / weight
	for i, kl := range s {
		d := &decisions[i]
		d.PolicyWeight = float32(float64(d.PolicyWeight) * (float64(1-part) + float64(part*kl)/mean))
	}
}
