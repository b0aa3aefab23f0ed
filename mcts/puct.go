package mcts

import (
	"math"

	"warren/internal/portable"
)

// puct is the interior rule of Silver et al. 2018. It also chooses for the root
// rule, which has a first-play urgency of its own.
type puct struct {
	init, base float64
	reduction  float32      // first-play urgency
	explore    [512]float32 // exploration of the first visits, which nearly all nodes have
}

func newPUCT(c Config, fpuReduction float64) *puct {
	p := &puct{init: c.CPUCTInit, base: c.CPUCTBase, reduction: float32(fpuReduction)}
	for n := range p.explore {
		p.explore[n] = p.computeExploration(int32(n))
	}
	return p
}

// choose returns the edge of node at that maximizes
//
//	Q + c(N) * prior * sqrt(N) / (1 + n),  c(N) = init + log((1 + N + base) / base)
//
// with N the visits of the edge by which the node was reached and n those of
// the edge itself (Silver et al. 2018, supplementary materials). Among equals it
// is the first. Products are rounded before they are added: a compiler that
// fuses the two would build other trees on some machines.
func (p *puct) choose(t *tree, at int32, in choice) int32 {
	n := &t.nodes[at]
	explore := p.exploration(t.edges[in.edge].visits)
	explore *= one // as all scores, which saves a product for every edge
	edges := t.edges[n.first : n.first+int32(n.count)]
	best, bestScore := 0, float32(math.Inf(-1))
	var tried float32    // prior of all actions with a visit
	fresh := int(n.open) // the edge without a visit that has the highest prior, of those not known to lose
	likeliest := float32(math.Inf(-1))
	if fresh < len(edges) {
		likeliest = edges[fresh].prior
	}
	opened := edges[:n.open]
	for i := range opened {
		e := &opened[i]
		if e.visits == 0 {
			if (e.prior > likeliest || e.prior == likeliest && i < fresh) && (e.child > t.lost || e.winner() == n.side) {
				fresh, likeliest = i, e.prior
			}
			continue
		}
		tried += e.prior
		visits := float32(e.visits)
		score := float32(e.sum.total())/visits + explore*e.prior/(visits+1)
		if score > bestScore && (e.child > t.lost || e.winner() == n.side) {
			best, bestScore = i, score
		}
	}
	// All actions without a visit have the same assumed value, so only the one
	// with the highest prior matters. The first that is not open has the highest of those.
	if fresh < len(edges) {
		assumed := t.mean(at, in) - float32(p.reduction*float32(math.Sqrt(float64(tried))))
		if float32(one*assumed)+float32(explore*edges[fresh].prior) > bestScore {
			best = fresh
		}
	}
	return n.first + int32(best)
}

// exploration returns c(N) * sqrt(N).
func (p *puct) exploration(visits int32) float32 {
	if int(visits) < len(p.explore) {
		return p.explore[visits]
	}
	return p.computeExploration(visits)
}

func (p *puct) computeExploration(visits int32) float32 {
	n := float64(visits)
	return float32((p.init + portable.Log((1+n+p.base)/p.base)) * math.Sqrt(n))
}
