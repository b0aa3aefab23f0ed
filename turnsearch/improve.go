package turnsearch

import "math"

// weigh computes the improved policy from the present values: for every
// position its tilt, the factor by which the policy multiplies the prior, and
// the value that results.
//
// A judged end has the tilt exp(beta*value). A position that was not judged has
// the tilt of its expected value, v_mix of Danihelka et al. 2022, appendix D.
// The tilt of a position within the turn is the mean of the tilts that its
// actions lead to, weighted by their priors. A step's share of the improved
// policy is therefore its prior times the tilt it leads to, divided by the
// position's tilt, whatever the number of paths that lead there. These priors
// do not include the share for captures, which only says where to look.
func (s *Search) weigh() {
	t := &s.own
	if s.fresh || t.positions[0].state != expanded {
		return
	}
	s.fresh = true
	s.settle()
	var sum worth
	var mass float64
	best := 0.0
	for i := range t.positions {
		if p := &t.positions[i]; p.state == judged {
			mass += p.prior
			sum.add(p.worth, p.prior)
			best = max(best, p.value)
		}
	}
	s.guess = t.positions[0].worth
	if mass > 0 {
		n := float64(t.judged)
		s.guess.add(sum.over(mass), n)
		s.guess = s.guess.over(1 + n)
	}
	t.pass++
	s.tilt(0, max(best, s.guess.value))
}

// settle updates the values of the ends from what is known about the opponent's
// replies.
func (s *Search) settle() {
	most := 0
	for i := range s.own.positions {
		p := &s.own.positions[i]
		if p.reply >= 0 {
			t := s.replies[p.reply]
			p.evaluations = 1 + t.grown
			for j := range t.positions {
				p.evaluations += t.positions[j].evaluations
			}
		}
		most = max(most, p.evaluations)
	}
	s.beta = (s.config.CVisit + float64(most)) * s.config.CScale
	for i := range s.own.positions {
		p := &s.own.positions[i]
		if p.reply < 0 {
			continue
		}
		if v, known := s.replies[p.reply].choice(s.beta); known {
			p.worth = p.static.mixed(v.forOther(), s.config.ReplyWeight)
		}
	}
}

// choice returns the worth of a turn for its player, who chooses by the improved
// policy among the ends that have a value. It reports whether there is one.
func (t *tree) choice(beta float64) (mean worth, known bool) {
	best := 0.0
	for i := range t.positions {
		if p := &t.positions[i]; p.state == judged {
			best = max(best, p.value)
		}
	}
	var sum worth
	var weight float64
	for i := range t.positions {
		if p := &t.positions[i]; p.state == judged {
			w := p.prior * math.Exp(beta*(p.value-best))
			weight += w
			sum.add(p.worth, w)
		}
	}
	if weight == 0 {
		return worth{}, false
	}
	return sum.over(weight), true
}

// leastTilt is the least logarithm of a tilt: above it sums of tilts are not 0.
const leastTilt = -300

// tilt computes the tilt and the mean of position at and of all that follow it.
// Tilts are relative to that of the value zero.
func (s *Search) tilt(at int32, zero float64) (tilt float64, mean worth) {
	p := &s.own.positions[at]
	if p.pass == s.own.pass {
		return p.tilt, p.mean
	}
	p.pass = s.own.pass
	switch p.state {
	case judged:
		p.mean = p.worth
	case expanded:
		var policy, weight float64
		var sum worth
		for _, e := range s.own.span(p) {
			tilt, mean := s.tilt(e.to, zero)
			w := float64(e.policy) * tilt
			policy += float64(e.policy)
			weight += w
			sum.add(mean, w)
		}
		p.tilt, p.mean = weight/policy, sum.over(weight)
		return p.tilt, p.mean
	default:
		p.mean = s.guess
	}
	p.tilt = math.Exp(max(s.beta*(p.mean.value-zero), leastTilt))
	return p.tilt, p.mean
}

// score returns the number by which judged ends are ordered: the logarithm of
// the improved policy, plus scale times the noise by which the end was sampled.
func (s *Search) score(at int32, scale float64) float64 {
	p := &s.own.positions[at]
	return math.Log(p.prior) + float64(scale*(p.priority-math.Log(p.sampled))) + float64(s.beta*p.value)
}
