package turnsearch

import "slices"

// quota is the number of evaluations that a candidate's replies may still get
// in this round of the halving.
type quota struct{ grow, judge int }

// notBegun is the number of rounds before the first.
const notBegun = -1

// halve lays out a round of the halving: it chooses the field, or keeps the better
// half of it, and shares out the evaluations. It reports false if the halving is
// over.
func (s *Search) halve() bool {
	if s.rounds == notBegun {
		s.enter()
	} else {
		s.rank()
		if s.rounds--; s.rounds > 0 {
			s.field = s.field[:(len(s.field)+1)/2]
		}
	}
	live := 0
	for _, at := range s.field {
		if !s.own.positions[at].exact {
			live++
		}
	}
	if s.rounds == 0 || live == 0 {
		return false
	}
	each := s.left() / (s.rounds * live)
	if each == 0 {
		return false
	}
	s.quotas = s.quotas[:0]
	for _, at := range s.field {
		q := quota{}
		if !s.own.positions[at].exact {
			q = quota{grow: (each + 1) / 2, judge: each / 2}
		}
		s.quotas = append(s.quotas, q)
	}
	s.stage = answering
	return true
}

// enter makes the best judged ends the field.
func (s *Search) enter() {
	s.field = s.field[:0]
	for i := range s.own.positions {
		if s.own.positions[i].state == judged {
			s.field = append(s.field, int32(i))
		}
	}
	s.rank()
	s.field = s.field[:min(len(s.field), s.config.Candidates)]
	s.rounds = 1
	for n := len(s.field); n > 2; n = (n + 1) / 2 {
		s.rounds++
	}
}

// rank sorts the field, the best first.
func (s *Search) rank() {
	s.weigh()
	slices.SortStableFunc(s.field, func(a, b int32) int {
		switch x, y := s.score(a, 1), s.score(b, 1); {
		case x > y:
			return -1
		case x < y:
			return 1
		}
		return 0
	})
}

// answers returns the tree of replies to a judged end, and opens it if need be.
func (s *Search) answers(at int32) *tree {
	p := &s.own.positions[at]
	if p.reply < 0 {
		if s.opened == len(s.replies) {
			s.replies = append(s.replies, &tree{})
		}
		p.reply = int32(s.opened)
		s.opened++
		t := s.replies[p.reply]
		g := s.scratch()
		s.own.visit(at, g)
		t.begin(g, nil, &s.config)
		s.legal, s.priors = s.legal[:0], s.priors[:0]
		for _, e := range s.own.span(p) {
			s.legal, s.priors = append(s.legal, e.action), append(s.priors, e.prior)
		}
		t.expand(0, g, s.legal, s.priors, s.priors, p.static.forOther())
		t.grown = 0 // its evaluation was the end's
	}
	return s.replies[p.reply]
}
