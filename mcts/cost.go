package mcts

// A game that is stopped at the turn limit can be made worse than an even one for
// both players ([Config.DrawPenalty]). A visit is then worth the player's chance
// to win less a cost: the penalty times the chance that the game is stopped. Both
// players pay the same cost, so their worths no longer add up to 1. Turning one
// into the other subtracts the cost twice.

// cost holds the costs of a node.
type cost struct {
	own float32 // of its own evaluation
	sum sum     // of its visits
}

// evaluated records the cost of a new node's evaluation, as that of its first visit.
func (t *tree) evaluated(at int32, own float32) {
	if t.costly {
		t.costs[at] = cost{own, sumOf(whole(own))}
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
func (t *tree) paid(at int32) int64 {
	if !t.costly || int(at) >= len(t.costs) {
		return 0
	}
	return t.costs[at].sum.total()
}
