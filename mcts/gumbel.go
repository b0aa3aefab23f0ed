package mcts

import (
	"math"

	"warren/game"
)

// GumbelRule names the rules of Danihelka et al. 2022 ("Policy improvement by
// planning with Gumbel"), in the table of rules.
const GumbelRule = "gumbel"

// Gumbel holds the settings of the rule gumbel.
type Gumbel struct {
	Actions  int     `yaml:"actions" min:"1" max:"263" doc:"number of root actions among which sequential halving looks for the best, if there are as many visits (Danihelka et al. 2022, sec. 3: 16)"`
	Noise    float64 `yaml:"noise" min:"0" max:"10" doc:"factor of the Gumbel noise where noise is wanted; 0 turns it off (sec. 3: 1)"`
	CVisit   float64 `yaml:"c_visit" min:"0" max:"1e6" doc:"sigma(q) = (c_visit + most visits of an action) * c_scale * q weighs values against the logits (sec. 3.4: 50)"`
	CScale   float64 `yaml:"c_scale" min:"0" max:"1000" doc:"see c_visit (sec. 3.4: 1, for values in [0, 1])"`
	Interior string  `yaml:"interior" oneof:"improved puct" doc:"the rule below the root: improved: visits follow the improved policy (sec. 5); puct: as in the rule puct, which wins more games (docs/experiments/units.md)"`
}

// The values of Gumbel.Interior; the other is PUCT.
const Improved = "improved"

// DefaultGumbel returns the published settings, with the rule puct below the root,
// which wins more games (docs/experiments/units.md).
func DefaultGumbel() Gumbel {
	return Gumbel{Actions: 16, Noise: 1, CVisit: 50, CScale: 1, Interior: PUCT}
}

func newGumbel(c Config) (rootRule, interiorRule) {
	root := &gumbelRoot{improved: newImproved(c), actions: c.Gumbel.Actions, noise: c.Gumbel.Noise}
	if c.Gumbel.Interior == PUCT {
		return root, newPUCT(c, c.FPU)
	}
	interior := root.improved
	return root, &interior
}

// improved computes the improved policy of a node: the softmax of
//
//	logit + sigma(completed Q)
//
// where the completed Q of an action without visits is an estimate of the
// node's value (Danihelka et al. 2022, sec. 4 and appendix D). It is also the
// interior rule of their section 5.
type improved struct {
	visit, scale float64
	values       [game.NumActions]float64 // completed Q; -Inf for a lost action
	policy       [game.NumActions]float64
}

func newImproved(c Config) improved {
	return improved{visit: c.Gumbel.CVisit, scale: c.Gumbel.CScale}
}

// complete fills in the completed Q of a node's actions. It returns these
// values, the value of the actions without visits, and the factor of sigma.
func (r *improved) complete(t *tree, at int32) (values []float64, mixed, sigma float64) {
	n := &t.nodes[at]
	first, end := n.span()
	edges := t.edges[first:end]
	values = r.values[:len(edges)]
	var most int32
	var visits, priors, weighted float64 // of the actions with visits, the values weighted by their priors
	for i := range edges {
		e := &edges[i]
		switch {
		case e.decided() && r.ruledOut(t, at, first+int32(i)):
			values[i] = math.Inf(-1)
		case e.visits > 0:
			q := float64(e.sum / float32(e.visits))
			values[i] = q
			most = max(most, e.visits)
			visits += float64(e.visits)
			priors += float64(e.prior)
			weighted += float64(float64(e.prior) * q)
		default:
			values[i] = 0
		}
	}
	mixed = float64(n.value - t.ownCost(at))
	if priors > 0 {
		mixed = (mixed + float64(visits*(weighted/priors))) / (1 + visits)
	}
	for i := range edges {
		if edges[i].visits == 0 && !math.IsInf(values[i], -1) {
			values[i] = mixed
		}
	}
	return values, mixed, (r.visit + float64(most)) * r.scale
}

// score fills in logit + sigma(completed Q) of a node's actions and returns them.
func (r *improved) score(t *tree, at int32) []float64 {
	values, _, sigma := r.complete(t, at)
	for i, q := range values {
		values[i] = math.Log(weight(&t.edges[t.nodes[at].first+int32(i)])) + float64(sigma*q)
	}
	return values
}

// weight returns an edge's prior, but never 0.
func weight(e *edge) float64 { return max(float64(e.prior), math.SmallestNonzeroFloat32) }

// ruledOut reports whether an edge is a proven loss. At a lost root, where all
// may be, none is ruled out.
func (r *improved) ruledOut(t *tree, at, e int32) bool {
	if at == 0 {
		return t.avoided(e)
	}
	return t.proof(e, t.nodes[at].side) == Lost
}

// improve fills in the improved policy of a node and returns it.
func (r *improved) improve(t *tree, at int32) []float64 {
	values, mixed, sigma := r.complete(t, at)
	policy := r.policy[:len(values)]
	best := math.Inf(-1)
	for _, q := range values {
		best = max(best, q)
	}
	first := t.nodes[at].first
	unvisited := math.Exp(sigma * (mixed - best)) // the same for most actions
	var sum float64
	for i, q := range values {
		factor := unvisited
		if q != mixed {
			factor = math.Exp(sigma * (q - best))
		}
		policy[i] = weight(&t.edges[first+int32(i)]) * factor
		sum += policy[i]
	}
	for i := range policy {
		policy[i] /= sum
	}
	return policy
}

// choose returns the edge whose share of the visits is farthest below its share
// of the improved policy: the one that maximizes policy - n / (1 + N), with n its
// visits and N those of all edges (sec. 5).
func (r *improved) choose(t *tree, at int32, _ choice) int32 {
	policy := r.improve(t, at)
	first, end := t.nodes[at].span()
	var all float64
	for _, e := range t.edges[first:end] {
		all += float64(e.visits)
	}
	best, most := 0, math.Inf(-1)
	for i, p := range policy {
		if behind := p - float64(t.edges[first+int32(i)].visits)/(1+all); behind > most {
			best, most = i, behind
		}
	}
	return first + int32(best)
}
