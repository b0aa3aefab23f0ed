package mcts

import "math"

// puct is the interior rule of Silver et al. 2018. It also chooses for the root
// rule, which has a first-play urgency of its own.
type puct struct {
	init, base float64
	reduction  bool // mode of the first-play urgency
	fpu        float32
	spread     Spread
	explore    [512]float32 // exploration of the first visits, which nearly all nodes have
}

func newPUCT(c Config, f FPU) *puct {
	p := &puct{init: c.CPUCTInit, base: c.CPUCTBase, reduction: f.Mode == Reduction, fpu: float32(f.Value), spread: c.CPUCTSpread}
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
	explore, lost := p.exploration(t.edges[in.edge].visits), t.lost
	if p.spread.Scale > 0 {
		explore *= p.spread.factor(t, at, in)
	}

	open := int(n.open)
	edges := t.edges[n.first : n.first+int32(n.count)]
	best, bestScore := 0, float32(math.Inf(-1))
	fresh := -1
	var tried float32 // prior of all actions with a visit
	for i := range edges[:open] {
		e := &edges[i]
		if e.visits == 0 {
			if fresh < 0 || e.prior > edges[fresh].prior {
				fresh = i
			}
			continue
		}
		tried += e.prior
		visits := float32(e.visits)
		score := e.sum/visits + explore*e.prior/(visits+1)
		if score > bestScore && (e.child > lost || e.winner() == n.side) {
			best, bestScore = i, score
		}
	}
	// All actions without a visit have the same assumed value, so only the one
	// with the highest prior matters: the first that is not yet open.
	if open < len(edges) && (fresh < 0 || edges[open].prior > edges[fresh].prior) {
		fresh = open
	}
	if fresh >= 0 {
		assumed := p.fpu
		if p.reduction {
			assumed = t.mean(at, in) - float32(p.fpu*float32(math.Sqrt(float64(tried))))
		}
		if assumed+float32(explore*edges[fresh].prior) > bestScore {
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
	return float32((p.init + math.Log((1+n+p.base)/p.base)) * math.Sqrt(n))
}
