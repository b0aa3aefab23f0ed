package mcts

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"warren/game"
)

// TestTargetScale searches with noise and compares the ratios of the policy target with the
// evaluator's priors and the values of the search. An action without a visit counts as the root's
// value, mixed with the mean of the visited values by the evaluator's priors.
func TestTargetScale(t *testing.T) {
	const scale = 7
	config := AlphaZeroConfig()
	config.NoiseFraction, config.CapturePrior, config.PolicyTargetScale = 0.5, 0.4, scale
	unvisited := 0
	for i, g := range positions(t) {
		s := New(config, 1000)
		s.Reset(g)
		s.Begin(100, rand.New(rand.NewPCG(uint64(i), 5)))
		run(s, 100, hashed)
		out, ok := s.Outcome(0, nil)
		if !ok || out.Weight != 1 {
			t.Fatalf("the outcome is %+v", out)
		}
		target, sum := map[game.Action]float64{}, 0.0
		for _, share := range out.Target {
			target[share.Action] = float64(share.Share)
			sum += float64(share.Share)
		}
		if math.Abs(sum-1) > 1e-5 {
			t.Errorf("the target sums to %g", sum)
		}
		root := s.Root(nil)
		best := root[0]
		for _, m := range root {
			if target[m.Action] > target[best.Action] {
				best = m
			}
		}
		var visits, weight, weighted float64
		for _, m := range root {
			if m.Visits > 0 {
				visits += float64(m.Visits)
				weight += float64(m.Prior)
				weighted += float64(m.Prior) * float64(m.Q)
			}
		}
		mixed := (float64(s.nodes[0].value) + visits*weighted/weight) / (1 + visits)
		for _, m := range root {
			q := math.Log(target[m.Action]/float64(m.Prior)*float64(best.Prior)/target[best.Action])/scale + float64(best.Q)
			switch {
			case target[m.Action] == 0:
			case m.Visits > 0 && math.Abs(q-float64(m.Q)) > 1e-4:
				t.Errorf("an action of value %g counts as %g", m.Q, q)
			case m.Visits == 0 && math.Abs(q-mixed) > 1e-4:
				t.Errorf("an action without a visit counts as %g, want %g", q, mixed)
			case m.Visits == 0:
				unvisited++
			}
		}
	}
	if unvisited == 0 {
		t.Error("no action was without a visit")
	}
}

// balanced is an evaluator with priors, to which all positions are even. It likes to pass.
func balanced(g *game.Game, legal []game.Action, priors []float32) float32 {
	hashed(g, legal, priors)
	if at := slices.Index(legal, game.Pass); at >= 0 {
		for i := range priors {
			priors[i] /= 2
		}
		priors[at] += 0.5
	}
	return 0.5
}

// A search without values changes no policy, whatever the noise and the shares for captures. With
// visits as the target it does.
func TestTargetOfEvenValuesIsThePrior(t *testing.T) {
	for _, c := range []struct {
		rule  string
		scale float64
		most  float64 // by which the target may differ; small shares are left out
	}{{PUCT, 20, 1e-5}, {GumbelRule, 0, 1e-3}, {PUCT, 0, 1}} {
		config := AlphaZeroConfig()
		config.Rule, config.NoiseFraction, config.CapturePrior, config.PolicyTargetScale = c.rule, 0.5, 0.4, c.scale
		config.PassPrior = 0.05
		largest, favoured := 0.0, 0
		for i, g := range positions(t) {
			if g = g.Clone(); i%2 == 0 { // within a turn, where to pass is legal
				g.Play(g.Legal(nil)[0])
			}
			if g.Result().Over() {
				continue
			}
			s := New(config, 1000)
			s.Reset(g)
			s.Begin(50, rand.New(rand.NewPCG(1, 5)))
			run(s, 50, balanced)
			out, _ := s.Outcome(1, rand.New(rand.NewPCG(2, 5)))
			legal := g.Legal(nil)
			priors := make([]float32, len(legal))
			balanced(g, legal, priors)
			limitPass(legal, priors, float32(config.PassPrior))
			for i, m := range s.Root(nil) {
				p := priors[slices.Index(legal, m.Action)]
				if math.Abs(float64(m.Prior-p)) > 1e-5 {
					t.Errorf("the root's prior is %g, the evaluator's %g", m.Prior, p)
				}
				if math.Abs(float64(s.rootPriors[i]-p)) > 0.01 {
					favoured++
				}
			}
			for _, share := range out.Target {
				p := priors[slices.Index(legal, share.Action)]
				largest = max(largest, math.Abs(float64(share.Share-p)))
			}
		}
		if favoured == 0 {
			t.Error("no position has captures")
		}
		if largest > c.most || c.most == 1 && largest < 0.01 {
			t.Errorf("%s with policy_target_scale %g: the target differs by %g from the prior", c.rule, c.scale, largest)
		}
	}
}
