package mcts

import "math"

// rule is a first-play urgency in the form the inner loop wants.
type rule struct {
	reduction bool
	value     float32
}

func newRule(f FPU) rule { return rule{f.Mode == Reduction, float32(f.Value)} }

// puct returns the edge of node at that maximizes
//
//	Q + c(N) * prior * sqrt(N) / (1 + n),  c(N) = init + log((1 + N + base) / base)
//
// with N the visits of the node and n those of the edge (Silver et al. 2018,
// supplementary materials); the first of the best where several are equal.
// Products are rounded before they are added: a compiler that fuses the two on
// some machines would give them other trees.
func (s *Search) puct(at int32, fpu rule) int32 {
	n := &s.nodes[at]
	in := s.edges[n.edge]
	explore := s.exploration(in.visits)

	open := int(n.open)
	edges := s.edges[n.first : n.first+int32(n.count)]
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
		if score > bestScore {
			best, bestScore = i, score
		}
	}
	// Of the actions without a visit, all of the same assumed value, only the
	// one with the highest prior matters: the first that is not yet open.
	if open < len(edges) && (fresh < 0 || edges[open].prior > edges[fresh].prior) {
		fresh = open
	}
	if fresh >= 0 {
		assumed := fpu.value
		if fpu.reduction {
			q := in.sum / float32(in.visits)
			if n.side != s.nodes[n.parent].side {
				q = 1 - q
			}
			assumed = q - float32(fpu.value*float32(math.Sqrt(float64(tried))))
		}
		if assumed+float32(explore*edges[fresh].prior) > bestScore {
			best = fresh
		}
	}
	return n.first + int32(best)
}

// exploration returns c(N) * sqrt(N).
func (s *Search) exploration(visits int32) float32 {
	if int(visits) < len(s.explore) {
		return s.explore[visits]
	}
	return s.config.exploration(visits)
}

func (c *Config) exploration(visits int32) float32 {
	n := float64(visits)
	return float32((c.CPUCTInit + math.Log((1+n+c.CPUCTBase)/c.CPUCTBase)) * math.Sqrt(n))
}
