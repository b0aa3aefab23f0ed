package turnsearch

import (
	"math"
	"math/rand/v2"

	"warren/game"
	"warren/mcts"
)

// Outcome chooses a turn, unless one has been chosen, and returns its next action
// with the policy target of the present position. It reports false if the root
// has not been evaluated or its game is over. During the setup it is the outcome
// of the search for placements.
//
// The target is the improved policy, which redistributes the priors of the ends
// according to their values. An action's share is the sum over the ends that it
// leads to. The weight of the target grows with the number of judged ends.
//
// At temperature 0 the turn is the one with the highest score among those that
// sequential halving has left. Otherwise it is drawn from all judged ends by
// the Gumbel-max trick. If the ends were sampled, the trick uses the noise by
// which they were sampled, times the temperature; otherwise it draws noise from
// rng.
func (s *Search) Outcome(temperature float64, rng *rand.Rand) (mcts.Outcome, bool) {
	if s.setup {
		return s.steps.Outcome(temperature, rng)
	}
	if s.game.Result().Over() || !s.won && s.own.positions[0].state != expanded {
		return mcts.Outcome{}, false
	}
	s.weigh()
	if s.played == 0 && !s.won {
		s.choose(temperature, rng)
	}
	out := mcts.Outcome{Action: s.chosen[s.played], Target: s.target[:0]}
	switch {
	case s.won:
		out.Target, out.Weight = append(out.Target, mcts.Share{Action: out.Action, Fraction: 1}), 1
	case s.at >= 0 && s.own.positions[s.at].state == expanded:
		out.Target = s.shares(out.Target)
		ends, _ := s.own.beyond(s.at)
		out.Weight = float32(min(1, float64(ends)/float64(s.config.TargetEnds)))
	}
	s.target = out.Target
	return out, true
}

// choose chooses a turn.
func (s *Search) choose(temperature float64, rng *rand.Rand) {
	t := &s.own
	best, bestScore := int32(-1), math.Inf(-1)
	consider := func(at int32, score float64) {
		if score > bestScore {
			best, bestScore = at, score
		}
	}
	switch {
	case temperature > 0:
		for i := range t.positions {
			if t.positions[i].state != judged {
				continue
			}
			score := s.score(int32(i), temperature)
			if t.rng == nil {
				score += float64(temperature * gumbel(rng))
			}
			consider(int32(i), score)
		}
	case len(s.field) > 0:
		for _, at := range s.field {
			consider(at, s.score(at, 0))
		}
	default:
		for i := range t.positions {
			if t.positions[i].state == judged {
				consider(int32(i), s.score(int32(i), 0))
			}
		}
	}
	if best < 0 {
		best = s.likeliest()
	}
	s.chosen = s.complete(t.path(best, s.chosen[:0]))
}

// likeliest returns the likeliest position about which nothing is known. If
// there is such an end, it returns an end.
func (s *Search) likeliest() int32 {
	for _, want := range []state{end, open} {
		if s.ends = s.own.best(want, anyLevel, 1, s.ends[:0]); len(s.ends) > 0 {
			return s.ends[0]
		}
	}
	return 0
}

// complete ends a turn that was searched only in part: by Pass where that is
// legal.
func (s *Search) complete(turn []game.Action) []game.Action {
	g := s.scratch()
	g.CopyFrom(s.game)
	side := g.Side()
	for _, a := range turn {
		g.Play(a)
	}
	for g.Side() == side && !g.Result().Over() {
		s.legal = g.Legal(s.legal[:0])
		a := s.legal[len(s.legal)-1]
		turn = append(turn, a)
		g.Play(a)
	}
	return turn
}

// leastShare is the smallest share that a target contains.
const leastShare = 1e-3

// shares appends the improved policy at the present position.
func (s *Search) shares(buf []mcts.Share) []mcts.Share {
	p := &s.own.positions[s.at]
	var total, kept float64
	weight := func(e *edge) float64 { return float64(e.policy) * s.own.positions[e.to].tilt }
	edges := s.own.span(p)
	for i := range edges {
		total += weight(&edges[i])
	}
	for i := range edges {
		if w := weight(&edges[i]); w >= leastShare*total {
			kept += w
		}
	}
	for i := range edges {
		if w := weight(&edges[i]); w >= leastShare*total {
			buf = append(buf, mcts.Share{Action: edges[i].action, Fraction: float32(w / kept)})
		}
	}
	return buf
}

// beyond counts the judged ends that can be reached from position at, and the
// evaluations made there and beyond.
func (t *tree) beyond(at int32) (ends, evaluations int) {
	t.walk++
	return t.count(at)
}

func (t *tree) count(at int32) (ends, evaluations int) {
	p := &t.positions[at]
	if p.walk == t.walk {
		return 0, 0
	}
	p.walk = t.walk
	switch p.state {
	case judged:
		return 1, p.evaluations
	case expanded:
		evaluations = 1
		for _, e := range t.span(p) {
			n, m := t.count(e.to)
			ends, evaluations = ends+n, evaluations+m
		}
	}
	return ends, evaluations
}

// Value returns the present player's chance to win under the improved policy, 0.5
// before the first evaluation.
func (s *Search) Value() float32 {
	switch {
	case s.setup:
		return s.steps.Value()
	case s.won:
		return 1
	case s.at < 0 || s.own.positions[0].state != expanded:
		return 0.5
	}
	s.weigh()
	mean := s.own.positions[s.at].mean
	return float32(mean.value + mean.cost)
}

// Root appends what is known about the present position's legal actions to buf,
// in the order of [game.Game.Legal]. An action's visits are the evaluations of
// positions that it leads to, which may count for several actions. If only the
// rules have judged these positions, the action has one visit. Root appends
// nothing before the root has been evaluated. If a win is proven, it appends
// only the next action.
func (s *Search) Root(buf []mcts.MoveStats) []mcts.MoveStats {
	switch {
	case s.setup:
		return s.steps.Root(buf)
	case s.won:
		return append(buf, mcts.MoveStats{Action: s.chosen[s.played], Visits: 1, Q: 1})
	case s.at < 0 || s.own.positions[s.at].state != expanded:
		return buf
	}
	s.weigh()
	first := len(buf)
	edges := s.own.span(&s.own.positions[s.at])
	for _, e := range edges {
		buf = append(buf, mcts.MoveStats{Action: e.action, Q: float32(s.own.positions[e.to].mean.value), Prior: e.policy})
	}
	for i, e := range edges {
		m := &buf[first+i]
		ends, evaluations := s.own.beyond(e.to)
		if m.Visits = max(evaluations, min(ends, 1)); m.Visits == 0 {
			m.Q = 0
		}
	}
	return buf
}
