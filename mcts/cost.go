package mcts

// A game that is stopped at the turn limit can be made worse than an even one for
// both players ([Config.StoppedPenalty]). What a visit is worth to a player is then
// the chance to win less a cost, the penalty times the chance that the game is
// stopped. The cost is the same for both, so the worths of the two no longer add up
// to 1: turning one into the other takes the cost twice.

// cost is what the tree keeps of a node's costs.
type cost struct {
	own float32 // of its own evaluation
	sum float32 // of its visits
}

// Cost returns what the position of an evaluation costs either player, in chances
// to win, because its game may be stopped.
func (s *Search) Cost(e Evaluation) float32 { return s.penalty * e.Stopped }

// evaluated records the cost of a new node's evaluation, as that of its first visit.
func (t *tree) evaluated(at int32, own float32) {
	if t.costly {
		t.costs[at] = cost{own, own}
	}
}

// ownCost returns the cost of a node's evaluation.
func (t *tree) ownCost(at int32) float32 {
	if !t.costly {
		return 0
	}
	return t.costs[at].own
}

// paid returns the sum of the costs of a node's visits, as one player pays them.
func (t *tree) paid(at int32) float32 {
	if !t.costly || int(at) >= len(t.costs) {
		return 0
	}
	return t.costs[at].sum
}

// bothPaid returns the sum of the costs of a node's visits for both players together.
func (t *tree) bothPaid(at int32) float32 { return 2 * t.paid(at) }
