package mcts

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"warren/game"
)

func TestDirichlet(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for _, alpha := range []float64{1e-4, 0.03, 0.5, 1, 10} {
		const n, draws = 5, 20000
		var mean, square float64
		for range draws {
			var p [n]float64
			dirichlet(p[:], alpha, rng)
			var sum float64
			for _, x := range p {
				if !(x >= 0 && x <= 1) {
					t.Fatalf("alpha %g draws %g", alpha, x)
				}
				sum += x
			}
			if math.Abs(sum-1) > 1e-12 {
				t.Fatalf("alpha %g: the draw sums to %g", alpha, sum)
			}
			mean += p[0] / draws
			square += p[0] * p[0] / draws
		}
		want := (1.0 / n) * (1 - 1.0/n) / (n*alpha + 1)
		if math.Abs(mean-1.0/n) > 0.01 {
			t.Errorf("alpha %g: mean %g, want %g", alpha, mean, 1.0/n)
		}
		if got := square - mean*mean; math.Abs(got-want) > 0.05*want+0.001 {
			t.Errorf("alpha %g: variance %g, want %g", alpha, got, want)
		}
	}
}

// TestNoise mixes noise in at two roots in turn. The evaluator's own priors must
// remain visible.
func TestNoise(t *testing.T) {
	config := AlphaZeroConfig()
	config.NoiseFraction = 0.25
	quiet, noisy := New(AlphaZeroConfig(), 1000), New(config, 1000)
	g := positions(t)[0]
	rng := rand.New(rand.NewPCG(4, 4))
	quiet.Reset(g)
	noisy.Reset(g)
	for range 2 {
		noisy.Begin(300, rng)
		run(quiet, 300, hashed)
		run(noisy, 300, hashed)
		want, got := quiet.Root(nil), noisy.Root(nil)
		var sum float64
		differ := false
		for i := range want {
			if got[i].Action != want[i].Action || got[i].Prior != want[i].Prior {
				t.Fatalf("action %d: %+v, want the prior of %+v", i, got[i], want[i])
			}
			p := noisy.edges[noisy.nodes[0].first+int32(i)].prior
			if p < 0.75*want[i].Prior*(1-1e-6) {
				t.Errorf("noise lowers a prior from %g to %g", want[i].Prior, p)
			}
			differ = differ || p != want[i].Prior
			sum += float64(p)
		}
		if math.Abs(sum-1) > 1e-5 {
			t.Errorf("the noisy priors sum to %g", sum)
		}
		if !differ {
			t.Error("there is no noise")
		}
		a := best(quiet)
		quiet.Advance(a)
		noisy.Advance(a)
	}
}

// rooted returns a search whose root's actions have the given visits.
func rooted(t *testing.T, visits ...int32) *Search {
	t.Helper()
	s := New(AlphaZeroConfig(), 10)
	s.Reset(positions(t)[0])
	run(s, 1, hashed)
	for i, n := range visits {
		s.edges[s.nodes[0].first+int32(i)].visits = n
	}
	return s
}

// best returns the action that a search plays at temperature 0.
func best(s *Search) game.Action {
	out, ok := s.Outcome(0, nil)
	if !ok {
		panic("a search of nothing")
	}
	return out.Action
}

func TestOutcomeAction(t *testing.T) {
	s := rooted(t, 3, 60, 30, 60, 0)
	root := s.Root(nil)
	if a := best(s); a != root[1].Action {
		t.Errorf("temperature 0 chooses %d, want %d, the first of those with the most visits", a, root[1].Action)
	}
	for _, temperature := range []float64{0.01, 0.5, 1, 2} {
		rng := rand.New(rand.NewPCG(5, 5))
		const draws = 20000
		drawn := map[game.Action]float64{}
		for range draws {
			out, _ := s.Outcome(temperature, rng)
			drawn[out.Action]++
		}
		var sum float64
		for _, m := range root {
			sum += math.Pow(float64(m.Visits)/60, 1/temperature)
		}
		for _, m := range root {
			want := math.Pow(float64(m.Visits)/60, 1/temperature) / sum
			if got := drawn[m.Action] / draws; math.Abs(got-want) > 0.015 {
				t.Errorf("temperature %g: %d visits were drawn with %g, want %g", temperature, m.Visits, got, want)
			}
			if m.Visits == 0 && drawn[m.Action] > 0 {
				t.Errorf("temperature %g: an action without visits was drawn", temperature)
			}
		}
	}
}

func TestOutcomeTarget(t *testing.T) {
	s := rooted(t, 1, 2, 0, 5)
	root := s.Root(nil)
	out, _ := s.Outcome(0, nil)
	want := []Share{{root[0].Action, 0.125}, {root[1].Action, 0.25}, {root[3].Action, 0.625}}
	if !slices.Equal(out.Target, want) || out.Weight != 1 {
		t.Errorf("the target is %v with weight %g, want %v with weight 1", out.Target, out.Weight, want)
	}
	// Without visits the priors stand in.
	s = rooted(t)
	root = s.Root(nil)
	out, _ = s.Outcome(0, nil)
	if len(out.Target) != len(root) || out.Weight != 0 {
		t.Fatalf("a target of %d actions with weight %g, want all %d with weight 0", len(out.Target), out.Weight, len(root))
	}
	for i, share := range out.Target {
		if share.Action != root[i].Action || math.Abs(float64(share.Share-root[i].Prior)) > 1e-6 {
			t.Errorf("target %d is %v, want the prior of %v", i, share, root[i])
		}
	}
	if out.Action != root[0].Action {
		t.Error("without visits the highest prior was not chosen")
	}
}

// TestRefutedActionsAreLeftOut: an action that is known to lose is neither played nor in the
// policy target, however many visits it has; the others share what is left.
func TestRefutedActionsAreLeftOut(t *testing.T) {
	for _, scale := range []float64{0, 5} {
		for _, visits := range [][]int32{{3, 60, 27}, nil} {
			config := AlphaZeroConfig()
			config.Proofs, config.PolicyTargetScale = true, scale
			s := New(config, 10)
			s.Reset(positions(t)[0])
			run(s, 1, hashed)
			for i, n := range visits {
				s.rootEdges()[i].visits = n
			}
			root := s.Root(nil)
			lost := root[1].Action
			s.Refute(lost)
			rng := rand.New(rand.NewPCG(5, 6))
			for range 2000 {
				if out, _ := s.Outcome(1, rng); out.Action == lost {
					t.Fatalf("with visits %v and policy_target_scale %g, a lost action is played", visits, scale)
				}
			}
			out, _ := s.Outcome(0, nil)
			sum := 0.0
			for _, share := range out.Target {
				sum += float64(share.Share)
				if share.Action == lost {
					t.Errorf("with visits %v and policy_target_scale %g, the policy learns a lost action with %g", visits, scale, share.Share)
				}
			}
			if math.Abs(sum-1) > 1e-5 {
				t.Errorf("with visits %v and policy_target_scale %g, the target sums to %g", visits, scale, sum)
			}
			if want := []Share{{root[0].Action, 0.1}, {root[2].Action, 0.9}}; visits != nil && scale == 0 && !slices.Equal(out.Target, want) {
				t.Errorf("the target is %v, want %v", out.Target, want)
			}
			if visits != nil && out.Action != root[2].Action {
				t.Errorf("%v is played, want %v, which has the most visits of those not lost", out.Action, root[2].Action)
			}
		}
	}
}

// TestPV plays the principal variation to its end.
func TestPV(t *testing.T) {
	s := New(AlphaZeroConfig(), 1000)
	for _, g := range positions(t) {
		s.Reset(g)
		run(s, 500, hashed)
		pv := s.PV(nil)
		if a := best(s); len(pv) == 0 || pv[0] != a {
			t.Fatalf("the line %v does not begin with the choice %d", pv, a)
		}
		line := g.Clone()
		for i, a := range pv {
			legal := false
			for _, l := range line.Legal(nil) {
				legal = legal || l == a
			}
			if !legal {
				t.Fatalf("step %d of %v is illegal", i, pv)
			}
			line.Play(a)
		}
	}
}

// The line of a root that is won by the rules begins with the win, which no simulation has visited.
func TestPVOfProvenRoot(t *testing.T) {
	g := parse(t, "g", "........ ....R... ........ ........ ........ ........ r....... .......E")
	for _, rule := range []string{PUCT, GumbelRule} {
		config := MatchConfig()
		config.Rule = rule
		s := New(config, 10)
		s.Reset(g)
		s.Begin(2, nil)
		run(s, 2, uniform)
		if pv := s.PV(nil); s.Proof() != Won || len(pv) != 1 || pv[0] != best(s) {
			t.Errorf("%s: proof %d, line %v, choice %v", rule, s.Proof(), pv, best(s))
		}
	}
}
