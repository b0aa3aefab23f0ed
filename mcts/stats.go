package mcts

import (
	"cmp"
	"slices"

	"warren/game"
)

// ActionStats is what a search knows about one legal action at the root.
type ActionStats struct {
	Action game.Action
	Visits int
	Q      float32 // mean value in [0, 1] for the side to move, less the costs of stopped games; 0 without visits
	Prior  float32 // the evaluator's, with at most Config.PassPrior for a pass, without noise and the share for captures
	Proof  Proof   // what is proven, if [Config.Proofs] is set
}

// Root appends the statistics of the root's legal actions that are searched to
// buf, in the order in which the search considers them, and returns the
// extended slice. It appends nothing before the root has been evaluated. Visits
// in flight are counted, as losses.
func (s *Search) Root(buf []ActionStats) []ActionStats {
	for i, p := range s.priorsOfRoot() {
		e := s.nodes[0].first + int32(i)
		m := ActionStats{Action: s.actions[e], Visits: int(s.edges[e].visits), Prior: p}
		if m.Visits > 0 {
			m.Q = s.edges[e].mean()
		}
		if m.Proof = s.proof(e, s.game.Side()); m.Proof != Unproven {
			m.Q = m.Proof.chance()
		}
		buf = append(buf, m)
	}
	return buf
}

// Rank puts actions in the order in which people see them: the one that is played, which need not have the most visits
// ([Config.LCB]), then proven wins, and the others by visits and then priors, with proven losses last.
func Rank(actions []ActionStats, played game.Action) {
	slices.SortStableFunc(actions, func(x, y ActionStats) int {
		switch played {
		case x.Action:
			return -1
		case y.Action:
			return 1
		}
		return cmp.Or(cmp.Compare(y.Proof, x.Proof), cmp.Compare(y.Visits, x.Visits), cmp.Compare(y.Prior, x.Prior))
	})
}

// priorsOfRoot returns the priors of the root's actions without noise and without
// the share for captures.
func (s *Search) priorsOfRoot() []float32 {
	if len(s.nodes) == 0 {
		return s.rootPriors
	}
	first, end := s.nodes[0].span()
	s.priors = append(s.priors[:0], s.rootPriors...)
	s.disfavour(s.game, s.actions[first:end], s.priors)
	return s.priors
}

// Game returns the position at the root, which must not be changed.
func (s *Search) Game() *game.Game { return s.game }

// Simulations returns the completed visits of the root. It includes those that
// [Search.Advance] and [Search.AdvanceTo] kept and excludes those in flight. [Search.Refute]
// takes off those of its action. The number falls to 0 once where everything loses within a
// turn, because the tree then begins again with the steps that [Config.PruneReversals] leaves out.
func (s *Search) Simulations() int { return int(s.edges[0].visits) - len(s.flying) }

// Settled reports whether further simulations are useless: the root is proven, or has so many
// visits that no more can be counted.
func (s *Search) Settled() bool { return s.Proof() != Unproven || s.Simulations() >= mostVisits }

// InFlight returns the number of leaves that are out for evaluation.
func (s *Search) InFlight() int { return len(s.flying) }

// Value returns the root's mean value in [0, 1] for the side to move, and 0.5
// before the first simulation is completed. It is exact once the root is proven.
func (s *Search) Value() float32 {
	if p := s.Proof(); p != Unproven {
		return p.chance()
	}
	n := s.Simulations()
	if n == 0 {
		return 0.5
	}
	return mean(s.edges[0].sum.total()+s.paid(0), int32(n))
}

// Nodes returns the number of positions stored.
func (s *Search) Nodes() int { return len(s.nodes) }

// Full reports whether the tree may have no room for the next position.
func (s *Search) Full() bool { return !s.room(game.NumActions) }

// PV appends the principal variation to buf and returns it: the action that the
// root's rule plays at temperature 0, and from there on the action with the most
// visits, but a proven win first and a proven loss last.
func (s *Search) PV(buf []game.Action) []game.Action {
	if len(s.nodes) == 0 {
		return buf
	}
	if s.Proof() == Won {
		return s.variation(s.mostVisited(0), buf)
	}
	return s.variation(s.root.preferred(&s.tree), buf)
}

// Line is like PV for what follows the action a at the root, which the line begins with.
// It appends nothing if a is not among the actions of [Search.Root], or has no visits and
// is no proven win.
func (s *Search) Line(a game.Action, buf []game.Action) []game.Action {
	if e := s.rootEdge(a); e >= 0 {
		return s.variation(e, buf)
	}
	return buf
}

// variation appends the line that begins with edge e of the root.
func (s *Search) variation(e int32, buf []game.Action) []game.Action {
	for at := int32(0); ; e = s.mostVisited(at) {
		if s.edges[e].visits == 0 && s.proof(e, s.nodes[at].side) != Won {
			return buf
		}
		buf = append(buf, s.actions[e])
		if at = s.edges[e].node(); at == 0 {
			return buf
		}
	}
}
