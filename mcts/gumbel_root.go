package mcts

import (
	"cmp"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"

	"warren/game"
	"warren/internal/portable"
)

// gumbelRoot is the root rule of Danihelka et al. 2022, sec. 3: it samples
// actions without replacement by adding Gumbel noise to the logits, and finds
// the best of them by sequential halving (Karnin, Koren and Somekh 2013). Each
// phase gives the actions that are left an equal share of the visits; then the
// half with the lower noise + logit + sigma(Q) drops out.
//
// Visits that the tree kept count in Q, but not in the shares. Without a plan of
// the visits there is no noise and no halving, and the visits of the root's
// actions follow the improved policy.
type gumbelRoot struct {
	improved
	actions int

	gumbel  []float64 // noise of the root's actions
	chance  bool      // whether there is noise
	before  []int32   // visits of the root's actions when the search began
	left    []int32   // indices of the actions that have not dropped out, best first
	share   int       // visits that each of them should have at the end of the phase
	visits  int       // planned, counted from the beginning of the search
	phases  int
	planned bool
}

func (r *gumbelRoot) prepare(t *tree, visits int, rng *rand.Rand) {
	n := int(t.nodes[0].count)
	r.visits = visits - int(t.edges[0].visits)
	r.planned = r.visits > 0
	r.chance = r.planned && rng != nil
	r.gumbel, r.before = slices.Grow(r.gumbel[:0], n)[:n], slices.Grow(r.before[:0], n)[:n]
	for i, e := range t.rootEdges() {
		r.gumbel[i], r.before[i] = 0, e.visits
		if r.chance {
			r.gumbel[i] = -portable.Log(portable.Exponential(rng))
		}
	}
	r.left = r.left[:0]
	for i := range n {
		r.left = append(r.left, int32(i))
	}
	r.sort(t)
	r.left = r.left[:max(1, min(r.actions, r.visits, n))]
	r.phases = max(1, bits.Len(uint(len(r.left)-1)))
	r.share = 0
	r.extend()
}

// extend begins a phase.
func (r *gumbelRoot) extend() {
	r.share += max(1, r.visits/(r.phases*len(r.left)))
}

// sort puts the actions that are left in order of falling noise + logit +
// sigma(Q).
func (r *gumbelRoot) sort(t *tree) {
	scores := r.score(t)
	for i, g := range r.gumbel {
		scores[i] += g
	}
	slices.SortStableFunc(r.left, func(a, b int32) int { return cmp.Compare(scores[b], scores[a]) })
}

func (r *gumbelRoot) choose(t *tree) int32 {
	first := t.nodes[0].first
	r.left = slices.DeleteFunc(r.left, func(i int32) bool { return t.avoided(first + i) })
	if !r.planned || len(r.left) == 0 {
		return r.improved.choose(t)
	}
	visits := func(i int32) int { return int(t.edges[first+i].visits - r.before[i]) }
	for {
		next := r.left[0]
		for _, i := range r.left[1:] {
			if visits(i) < visits(next) {
				next = i
			}
		}
		if visits(next) < r.share {
			return first + next
		}
		// The last two share what is left, as in DeepMind's mctx.
		r.sort(t)
		r.left = r.left[:min(len(r.left), max(2, len(r.left)/2))]
		r.extend()
	}
}

// outcome plays the best action that has not dropped out. At temperature 0 it
// ignores the noise. At any other temperature the noise makes the action a
// sample; if no noise was drawn, the action is sampled from the improved
// policy. The target is the improved policy, without the share for captures.
func (r *gumbelRoot) outcome(t *tree, priors []float32, temperature float64, rng *rand.Rand, target []Share) Outcome {
	first := t.nodes[0].first
	out := Outcome{Action: t.actions[first+r.best(t, temperature > 0)]}
	policy := r.improve(t, priors)
	out.Target = appendShares(target, t, policy)
	if r.visited(t) {
		out.Weight = 1
	}
	if temperature > 0 && !r.chance {
		var buf [game.NumActions]float64
		out.Action = t.actions[first+int32(sample(buf[:copy(buf[:], policy)], temperature, rng))]
	}
	return out
}

func (r *gumbelRoot) preferred(t *tree) int32 { return t.nodes[0].first + r.best(t, false) }

// best returns the index of the action to play: the best action with a visit
// that has not dropped out, or the best without one if none has a visit.
// Without halving it is the action with the most visits.
func (r *gumbelRoot) best(t *tree, noisy bool) int32 {
	first := t.nodes[0].first
	scores := r.score(t)
	best, highest := int32(-1), math.Inf(-1)
	for _, visited := range [2]bool{true, false} {
		for _, i := range r.left {
			score := scores[i]
			if noisy {
				score += r.gumbel[i]
			}
			if score > highest && r.planned && (t.edges[first+i].visits > 0) == visited {
				best, highest = i, score
			}
		}
		if best >= 0 {
			return best
		}
	}
	return t.mostVisited(0) - first
}

// visited reports whether any action has a visit.
func (r *gumbelRoot) visited(t *tree) bool {
	return slices.ContainsFunc(t.rootEdges(), func(e edge) bool { return e.visits > 0 })
}
