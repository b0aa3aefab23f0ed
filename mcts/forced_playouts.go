package mcts

import "math"

// Forced playouts and policy target pruning (KataGo, Wu 2019, sec. 3.2): noise
// makes the search try actions, forced playouts make it look at them long
// enough to judge, and pruning removes from the target the visits that only the
// noise has caused. They apply to searches with an rng.

// forcedVisits returns the number of visits that an edge of the root with prior
// p must have, once it has any. The root has the given visits.
func (r *puctRoot) forcedVisits(p float32, visits int32) float64 {
	return math.Sqrt(r.forced * float64(p) * float64(visits))
}

// wanting returns a visited edge of the root with fewer than its forced visits.
func (r *puctRoot) wanting(t *tree) (edge int32, ok bool) {
	first, end := t.nodes[0].opened()
	for e := first; e < end; e++ {
		edge := &t.edges[e]
		if edge.visits > 0 && float64(edge.visits) < r.forcedVisits(edge.prior, t.edges[0].visits) && !t.avoided(e) {
			return e, true
		}
	}
	return 0, false
}

// prune subtracts from the visits of each action those that were forced, as
// long as PUCT would still not prefer it to the most visited action. An action
// that is left with at most one visit loses it. prune returns the sum of the
// remaining visits.
func (r *puctRoot) prune(t *tree, visits []float64) (sum float64) {
	first := t.nodes[0].first
	best := t.mostVisited(0)
	all := t.edges[0].visits
	explore := r.puct.exploration(all)
	if r.puct.spread.Scale > 0 {
		explore *= r.puct.spread.factor(t, 0, choice{})
	}
	top := t.edges[best]
	most := float64(top.sum)/float64(top.visits) + float64(explore)*float64(top.prior)/(1+float64(top.visits))
	for i, n := range visits {
		e := first + int32(i)
		if e == best || n == 0 {
			sum += n
			continue
		}
		edge := &t.edges[e]
		least := n - r.forcedVisits(edge.prior, all)
		if gap := most - float64(edge.sum)/float64(edge.visits); gap > 0 {
			least = max(least, float64(explore)*float64(edge.prior)/gap-1)
		} else {
			least = n
		}
		if visits[i] = min(n, math.Ceil(max(0, least))); visits[i] <= 1 {
			visits[i] = 0
		}
		sum += visits[i]
	}
	return sum
}
