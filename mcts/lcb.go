package mcts

import "math"

// leastLCBShare is the share of the most visits that an action needs to be
// played by its lower confidence bound (KataGo: 0.15).
const leastLCBShare = 0.15

// preferred returns the root's edge to play at temperature 0: the one with the
// highest lower confidence bound of its value, mean - bound*deviation/sqrt(n),
// among those with enough visits (Leela Zero 0.17; KataGo: bound 5). The
// deviation includes one extra value that is as far off as possible, so that
// few visits never look certain. A proof comes before all bounds.
func (r *puctRoot) preferred(t *tree) int32 {
	best := t.mostVisited(0)
	if r.bound == 0 || t.edges[best].visits == 0 || t.proof(best, t.nodes[0].side) != Unproven {
		return best
	}
	enough := leastLCBShare * float64(t.edges[best].visits)
	highest := math.Inf(-1)
	for e, end := t.nodes[0].span(); e < end; e++ {
		if float64(t.edges[e].visits) < enough || t.avoided(e) {
			continue
		}
		if b := r.lower(t, e); b > highest {
			best, highest = e, b
		}
	}
	return best
}

// lower returns the lower confidence bound of a visited edge's value.
func (r *puctRoot) lower(t *tree, e int32) float64 {
	edge := &t.edges[e]
	n := float64(edge.visits)
	mean := float64(edge.mean())
	squares := n * (mean - 0.5) * (mean - 0.5) // without a node, all values are the same
	if child := edge.node(); child > 0 {
		squares = float64(t.squares[child]) / one
	}
	variance := max(0, squares/n-float64((mean-0.5)*(mean-0.5))) + 0.25/n
	return mean - float64(r.bound*math.Sqrt(variance/n))
}

// observe adds to a node's spread a value of a visit, Gold's chance to win. The
// square of its distance from 0.5 is the same for both players.
func (t *tree) observe(at int32, gold float32) {
	if t.spread {
		t.squares[at] += whole((gold - 0.5) * (gold - 0.5))
	}
}
