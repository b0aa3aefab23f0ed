package mcts

import (
	"math"
	"slices"

	"warren/game"
	"warren/internal/portable"
)

// GumbelRule names the rules of Danihelka et al. 2022 ("Policy improvement by
// planning with Gumbel"), in the table of rules.
const GumbelRule = "gumbel"

// Gumbel holds the settings of the rule gumbel.
type Gumbel struct {
	Actions int     `yaml:"actions" min:"1" max:"263" unit:"actions" doc:"number of root actions among which sequential halving looks for the best, if there are as many visits" origin:"Danihelka et al. 2022, sec. 3" change:"Raise it with the visits."`
	CVisit  float64 `yaml:"c_visit" min:"0" max:"1e6" unit:"visits" doc:"sigma(q) = (c_visit + most visits of an action) * c_scale * q weighs values against the logits" origin:"Danihelka et al. 2022, sec. 3.4" change:"Raise it to trust values more after few visits."`
	CScale  float64 `yaml:"c_scale" min:"0" max:"1000" doc:"factor of the values in sigma (see c_visit)" origin:"Danihelka et al. 2022, sec. 3.4, for values in [0, 1]" change:"Raise it to trust values more than the policy."`
}

// DefaultGumbel returns the published settings.
func DefaultGumbel() Gumbel { return Gumbel{Actions: 16, CVisit: 50, CScale: 1} }

// newGumbel returns the rule gumbel for the root, and puct below it: visits by the improved
// policy in every node (sec. 5) win fewer games (docs/research/search.md#gumbel).
func newGumbel(c Config) (rootRule, interiorRule) {
	return &gumbelRoot{improved: newImproved(c), actions: c.Gumbel.Actions}, newPUCT(c, c.FPUReduction)
}

// improved computes the improved policy of the root: the softmax of
//
//	logit + sigma(completed Q)
//
// where the completed Q of an action without visits is an estimate of the
// root's value (Danihelka et al. 2022, sec. 4 and appendix D).
type improved struct {
	visit, scale float64
	values       [game.NumActions]float64 // completed Q; -Inf for a lost action
	policy       [game.NumActions]float64
}

func newImproved(c Config) improved {
	return improved{visit: c.Gumbel.CVisit, scale: c.Gumbel.CScale}
}

// complete fills in the completed Q of the root's actions. It returns these
// values, the value of the actions without visits, and the factor of sigma. An
// action without visits is worth the root's value mixed with the mean of those with
// visits, weighted by priors: noise in these would move all such actions together.
// A proven loss is ruled out, unless the root itself is lost.
func (r *improved) complete(t *tree, priors []float32) (values []float64, mixed, sigma float64) {
	n, edges := &t.nodes[0], t.rootEdges()
	values = r.values[:len(edges)]
	var most int32
	var visits, weights, weighted float64 // of the actions with visits, the values weighted by their priors
	for i := range edges {
		e := &edges[i]
		switch {
		case e.decided() && t.avoided(n.first+int32(i)):
			values[i] = math.Inf(-1)
		case e.visits > 0:
			q := float64(e.mean())
			values[i] = q
			most = max(most, e.visits)
			visits += float64(e.visits)
			weights += float64(priors[i])
			weighted += float64(float64(priors[i]) * q)
		default:
			values[i] = 0
		}
	}
	mixed = float64(n.value - t.ownCost(0))
	if weights > 0 {
		mixed = (mixed + float64(visits*(weighted/weights))) / (1 + visits)
	}
	for i := range edges {
		if edges[i].visits == 0 && !math.IsInf(values[i], -1) {
			values[i] = mixed
		}
	}
	return values, mixed, (r.visit + float64(most)) * r.scale
}

// score fills in logit + sigma(completed Q) of the root's actions and returns them.
func (r *improved) score(t *tree) []float64 {
	values, _, sigma := r.complete(t, t.rootPriors)
	for i, q := range values {
		values[i] = portable.Log(weight(t.rootPriors[i])) + float64(sigma*q)
	}
	return values
}

// weight returns a prior, but never 0.
func weight(prior float32) float64 { return max(float64(prior), math.SmallestNonzeroFloat32) }

// improve fills in the root's policy of these priors, improved, and returns it.
func (r *improved) improve(t *tree, priors []float32) []float64 {
	values, mixed, sigma := r.complete(t, priors)
	policy := r.policy[:len(values)]
	best := slices.Max(values)
	unvisited := portable.Exp(sigma * (mixed - best)) // the same for most actions
	var sum float64
	for i, q := range values {
		factor := unvisited
		if q != mixed {
			factor = portable.Exp(sigma * (q - best))
		}
		policy[i] = float64(weight(priors[i]) * factor) // not fused with the sum
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
func (r *improved) choose(t *tree) int32 {
	policy := r.improve(t, t.rootPriors)
	edges := t.rootEdges()
	var all float64
	for _, e := range edges {
		all += float64(e.visits)
	}
	best, most := 0, math.Inf(-1)
	for i, p := range policy {
		if behind := p - float64(edges[i].visits)/(1+all); behind > most {
			best, most = i, behind
		}
	}
	return t.nodes[0].first + int32(best)
}
