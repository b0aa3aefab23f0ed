package turnsearch

import (
	"math"

	"warren/game"
	"warren/mcts"
)

// stage is what the evaluations of a turn are spent on.
type stage uint8

const (
	looking   stage = iota // for a win, without evaluations
	growing                // the turn's own positions
	judging                // its ends
	halving                // between two rounds of sequential halving
	answering              // the replies' own positions
	weighing               // the ends of the replies
	done
)

// Least evaluations of a turn's own positions and of its ends, however small the
// plan: a turn of four steps needs four of its own.
const (
	leastOwn  = 4
	leastEnds = 2
)

// plan lays out the next round. It reports false if nothing is left to do.
func (s *Search) plan() bool {
	for doubled := 0; ; {
		switch s.stage {
		case looking:
			if s.win() {
				s.stage = done
				break
			}
			s.stage = growing
		case growing:
			n := max(leastOwn, s.share(s.config.OwnShare)) - s.own.grown
			if n <= 0 && s.left() > 1 && s.own.hopeless() {
				n = 1
			}
			if n <= 0 || s.left() <= 0 || !s.grow(&s.own, min(n, s.left())) {
				s.stage = judging
			}
		case judging:
			n := max(leastEnds, s.share(s.config.EndsShare)) - s.own.weighed()
			s.judge(&s.own, min(n, s.left()))
			s.stage, s.rounds = halving, notBegun
			if s.left() > 1 && s.own.hopeless() && len(s.own.best(open, anyLevel, 1, s.ends[:0])) > 0 {
				s.stage = growing // until an end is found that is not lost, and judged by what is left
			}
		case halving:
			if !s.halve() {
				s.stage = done
			}
		case answering:
			for i := range s.field {
				q := &s.quotas[i]
				if before := len(s.round); q.grow > 0 && s.grow(s.answers(s.field[i]), q.grow) {
					q.grow -= len(s.round) - before
				}
			}
			if len(s.round) == 0 {
				s.stage = weighing
			}
		case weighing:
			for i := range s.field {
				q := &s.quotas[i]
				if q.judge += q.grow; q.judge > 0 {
					s.judge(s.answers(s.field[i]), q.judge)
				}
			}
			s.stage = halving
		case done:
			if s.budget > 0 || s.won || doubled == 8 || s.limit > 1<<30 {
				return false
			}
			doubled++ // nothing may be left to look at
			s.limit *= 2
			s.stage = growing
		}
		if len(s.round) > 0 {
			return true
		}
	}
}

// left returns the evaluations that remain of the plan.
func (s *Search) left() int { return s.limit - s.spent }

// share returns a part of the planned evaluations.
func (s *Search) share(part float64) int { return int(math.Round(part * float64(s.limit))) }

// win looks for a win within the turn.
func (s *Search) win() bool {
	won, _ := s.finder.Winning(s.game, s.config.WinSteps)
	if s.won = won != nil; s.won {
		s.chosen = append(s.chosen[:0], won...)
		s.at = -1
	}
	return s.won
}

// grow asks for open positions of one level of the tree, the next in turn that
// has any. It asks for this level's part if n positions are divided evenly
// among this level and those below it. A few positions are therefore enough to
// reach ends after every number of steps. Before a position is compared with
// others, all paths to it that have been looked at are known.
func (s *Search) grow(t *tree, n int) bool {
	for range t.steps {
		below := t.steps - t.level
		s.ends = t.best(open, t.level, (n+below-1)/below, s.ends[:0])
		t.level = (t.level + 1) % t.steps
		for _, at := range s.ends {
			s.ask(t, at)
		}
		if len(s.ends) > 0 {
			return true
		}
	}
	return false
}

// judge asks for the tree's n best ends that have no value. Those that are won or
// lost by the rules get their value at once.
func (s *Search) judge(t *tree, n int) {
	for asked := 0; asked < n; {
		s.ends = t.best(end, anyLevel, 2*n, s.ends[:0])
		if len(s.ends) == asked {
			return
		}
		for _, at := range s.ends[asked:] { // the others have been asked for
			if asked < n && !s.decided(t, at) {
				s.ask(t, at)
				asked++
			}
		}
	}
}

// hopeless reports whether all ends that are known are lost, or none is known.
func (t *tree) hopeless() bool {
	for i := range t.positions {
		p := &t.positions[i]
		if p.state == end || p.state == judged && (!p.exact || p.value > 0) {
			return false
		}
	}
	return true
}

// weighed returns the number of ends that cost an evaluation.
func (t *tree) weighed() (n int) {
	for i := range t.positions {
		if p := &t.positions[i]; p.state == judged && !p.exact {
			n++
		}
	}
	return n
}

// decided gives an end its value if the rules decide it, at once or within the
// turn that follows.
func (s *Search) decided(t *tree, at int32) bool {
	g := s.scratch()
	t.visit(at, g)
	value := 0.0
	if r := g.Result(); !r.Over() {
		if won, _ := s.finder.Winning(g, s.config.WinSteps); won == nil {
			return false
		}
	} else if r.Winner == t.game.Side() {
		value = 1
	}
	p := &t.positions[at]
	p.state, p.exact, p.worth, p.static = judged, true, worth{value: value}, worth{value: value}
	t.judged++
	s.fresh = false
	return true
}

// absorb takes over the evaluations of a round, in the order in which it was laid
// out.
func (s *Search) absorb() {
	for i := range s.round {
		t := &s.round[i]
		g, w := t.leaf.Game, worth{float64(t.value - t.cost), float64(t.cost)}
		policy, buf := mcts.LimitPass(t.leaf.Legal, t.priors, float32(s.config.PassPrior), s.priors)
		s.priors = buf
		priors := s.captures.Favour(g, t.leaf.Legal, policy, s.config.CapturePrior)
		p := &t.tree.positions[t.at]
		if p.state == open {
			t.tree.expand(t.at, g, t.leaf.Legal, priors, policy, w)
			continue
		}
		p.state, p.worth, p.static, p.evaluations = judged, w.forOther(), w.forOther(), 1
		t.tree.judged++
		if t.tree == &s.own {
			t.tree.write(t.at, t.leaf.Legal, priors, policy)
		}
	}
	s.spent += len(s.round)
	s.round = s.round[:0]
	s.fresh = false
}

// scratch returns a game to be overwritten.
func (s *Search) scratch() *game.Game {
	if s.work == nil {
		s.work = game.New()
	}
	return s.work
}
