package mcts

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"warren/game"
)

func gumbelConfig() Config {
	c := AlphaZeroConfig()
	c.Rule = GumbelRule
	return c
}

// even has the priors of hashed and values that tell nothing.
func even(g *game.Game, legal []game.Action, priors []float32) float32 {
	hashed(g, legal, priors)
	return 0.5
}

// TestSequentialHalving: 16 actions and 64 visits make four phases of a quarter
// each, in which 16, 8, 4 and 2 actions are left.
func TestSequentialHalving(t *testing.T) {
	for _, c := range []struct {
		actions, visits int
		want            []int
	}{
		{16, 64, []int{1, 1, 1, 1, 1, 1, 1, 1, 3, 3, 3, 3, 7, 7, 15, 15}},
		{4, 16, []int{2, 2, 6, 6}},
		{16, 8, []int{1, 1, 1, 1, 1, 1, 1, 1}},
		{2, 7, []int{3, 4}},
		{1, 5, []int{5}},
		{16, 1, []int{1}},
	} {
		config := gumbelConfig()
		config.Gumbel.Actions, config.SeparateEvaluations = c.actions, true
		s := New(config, 200)
		s.Reset(positions(t)[1])
		s.Begin(1+c.visits, rand.New(rand.NewPCG(1, 1)))
		run(s, 1+c.visits, hashed)
		recount(t, s)
		var counts []int
		for _, m := range s.Root(nil) {
			if m.Visits > 0 {
				counts = append(counts, m.Visits)
			}
		}
		slices.Sort(counts)
		if c.visits == 8 {
			// Fewer visits than a phase's share for all: the later phases are short.
			if len(counts) != 8 || counts[0] != 1 {
				t.Errorf("8 visits: the actions have %v", counts)
			}
			continue
		}
		if !slices.Equal(counts, c.want) {
			t.Errorf("%d actions, %d visits: the actions have %v, want %v", c.actions, c.visits, counts, c.want)
		}
	}
}

// TestHalvingOfAKeptTree: visits that Advance kept are neither planned nor shared out again.
func TestHalvingOfAKeptTree(t *testing.T) {
	config := gumbelConfig()
	config.Gumbel.Actions, config.SeparateEvaluations = 4, true
	s := New(config, 200)
	s.Reset(positions(t)[1])
	run(s, 100, hashed)
	s.Advance(best(s))
	kept, before := s.Simulations(), map[game.Action]int{}
	for _, m := range s.Root(nil) {
		before[m.Action] = m.Visits
	}
	if kept < 10 {
		t.Fatalf("%d visits are kept: too few to tell", kept)
	}
	s.Begin(kept+16, nil)
	run(s, kept+16, hashed)
	var added []int
	for _, m := range s.Root(nil) {
		if n := m.Visits - before[m.Action]; n > 0 {
			added = append(added, n)
		}
	}
	slices.Sort(added)
	if want := []int{2, 2, 6, 6}; !slices.Equal(added, want) {
		t.Errorf("after %d kept visits the actions get %v, want %v", kept, added, want)
	}
}

// TestHalvingKeepsTheBest: of four placements that are equally likely, the two that turn out better get the
// visits of the second phase, and the best of all is played.
func TestHalvingKeepsTheBest(t *testing.T) {
	config := gumbelConfig()
	config.Gumbel.Actions, config.SeparateEvaluations = 4, true
	s := New(config, 200)
	s.Reset(game.New())
	s.Begin(17, nil)
	run(s, 17, func(g *game.Game, legal []game.Action, priors []float32) float32 {
		uniform(g, legal, priors)
		_, first, placed := g.Board().At(0)
		if !placed {
			return 0.5
		}
		return 0.3 + 0.1*float32(first)
	})
	want := map[game.Kind]int{game.Rabbit: 2, game.Cat: 2, game.Dog: 6, game.Horse: 6}
	for _, m := range s.Root(nil) {
		if kind := m.Action.Kind(); m.Visits != want[kind] {
			t.Errorf("kind %d has %d visits, want %d", kind, m.Visits, want[kind])
		}
	}
	if a := best(s); a != game.PlaceAction(game.Horse) {
		t.Errorf("kind %d is played, want the horse", a.Kind())
	}
}

// TestGumbelSamples: with a single visit and equal values, noise makes the
// action a draw from the priors. Without noise it is the likeliest.
func TestGumbelSamples(t *testing.T) {
	g := positions(t)[2]
	s := New(gumbelConfig(), 200)
	rng := rand.New(rand.NewPCG(2, 2))
	const n = 20000
	counts := map[game.Action]float64{}
	var root []ActionStats
	for range n {
		s.Reset(g)
		s.Begin(2, rng)
		run(s, 2, even)
		out, _ := s.Outcome(1, nil)
		counts[out.Action]++
		root = s.Root(root[:0])
	}
	chi2 := 0.0
	for _, m := range root {
		want := n * float64(m.Prior)
		chi2 += (counts[m.Action] - want) * (counts[m.Action] - want) / want
	}
	if df := float64(len(root) - 1); chi2 > df+5*math.Sqrt(2*df) {
		t.Errorf("chi-squared %g with %g degrees of freedom", chi2, df)
	}
	s.Reset(g)
	s.Begin(2, nil)
	run(s, 2, even)
	if out, _ := s.Outcome(0, nil); out.Action != s.Root(nil)[0].Action {
		t.Error("without noise the likeliest action is not played")
	}
}

// TestGumbelNoiseChooses: of the actions that are left, a temperature plays the best by logit and noise, and temperature 0
// the best by logit. The values tell nothing.
func TestGumbelNoiseChooses(t *testing.T) {
	g := positions(t)[1]
	config := gumbelConfig()
	config.Gumbel.Actions, config.SeparateEvaluations = 4, true
	s := New(config, 200)
	differ := 0
	for seed := range uint64(100) {
		s.Reset(g)
		s.Begin(17, rand.New(rand.NewPCG(seed, 1)))
		run(s, 17, even)
		rule, root := s.root.(*gumbelRoot), s.Root(nil)
		leading := func(noise float64) game.Action {
			score := func(i int32) float64 { return math.Log(float64(root[i].Prior)) + noise*rule.gumbel[i] }
			return root[slices.MaxFunc(rule.left, func(a, b int32) int { return cmp.Compare(score(a), score(b)) })].Action
		}
		out, _ := s.Outcome(1, nil)
		if noisy, quiet := leading(1), leading(0); out.Action != noisy || best(s) != quiet {
			t.Fatalf("seed %d: %d and %d are played, want %d, and %d at temperature 0", seed, out.Action, best(s), noisy, quiet)
		} else if noisy != quiet {
			differ++
		}
	}
	if differ < 10 {
		t.Errorf("the noise decides in %d of 100 searches: too few to tell", differ)
	}
}

// TestGumbelSamplesWithoutNoise: without noise, a temperature draws actions from the target, which has no weight before the
// first visit of an action.
func TestGumbelSamplesWithoutNoise(t *testing.T) {
	config := gumbelConfig()
	config.Gumbel.CVisit, config.Gumbel.CScale = 2000, 0.001
	s := New(config, 200)
	s.Reset(positions(t)[1])
	s.Begin(17, nil)
	run(s, 1, hashed)
	if out, _ := s.Outcome(0, nil); out.Weight != 0 {
		t.Errorf("without visits the target has weight %g", out.Weight)
	}
	run(s, 17, hashed)
	rng := rand.New(rand.NewPCG(5, 5))
	const draws = 20000
	drawn := map[game.Action]float64{}
	for range draws {
		out, _ := s.Outcome(1, rng)
		drawn[out.Action]++
	}
	out, _ := s.Outcome(0, nil)
	for _, share := range out.Target {
		if got := drawn[share.Action] / draws; math.Abs(got-float64(share.Share)) > 0.015 {
			t.Errorf("an action was drawn with %g, want %g", got, share.Share)
		}
	}
}

// TestImprovedPolicy compares the target with the formulas of the paper, written
// out, and checks that it is an improvement: its expected value is at least that
// of the priors. Every second time stopped games cost something, the root's evaluation 0.2.
func TestImprovedPolicy(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for visits := 2; visits <= 64; visits++ {
		config := gumbelConfig()
		config.Gumbel.CVisit, config.Gumbel.CScale = 20, 0.5
		config.DrawPenalty, config.CapturePrior = float64(visits%2)*0.4, 0.4
		s := New(config, 200)
		s.Reset(randomGame(rng, 300))
		s.Begin(visits, rng)
		for s.Simulations() < visits {
			if leaf, status := s.Select(); status == Evaluate {
				e := Evaluation{Priors: make([]float32, len(leaf.Legal)), Stopped: 0.5}
				e.Value = hashed(leaf.Game, leaf.Legal, e.Priors)
				s.Expand(leaf, e)
			}
		}
		root := s.Root(nil)
		n, priors, weighted, most := 0, 0.0, 0.0, 0
		for _, m := range root {
			if m.Visits > 0 {
				n += m.Visits
				most = max(most, m.Visits)
				priors += float64(m.Prior)
				weighted += float64(m.Prior) * float64(m.Q)
			}
		}
		mixed := (float64(s.nodes[0].value) - 0.2*float64(visits%2) + float64(n)*weighted/priors) / float64(1+n)
		var sum, before, after float64
		want := map[game.Action]float64{}
		q := func(m ActionStats) float64 {
			if m.Visits > 0 {
				return float64(m.Q)
			}
			return mixed
		}
		for _, m := range root {
			want[m.Action] = float64(m.Prior) * math.Exp((20+float64(most))*0.5*q(m))
			sum += want[m.Action]
		}
		out, _ := s.Outcome(0, nil)
		total := float32(0)
		got := map[game.Action]float64{}
		for _, share := range out.Target {
			got[share.Action] = float64(share.Share)
			total += share.Share
		}
		for _, m := range root {
			if w := want[m.Action] / sum; math.Abs(got[m.Action]-w) > 2e-3 {
				t.Fatalf("%d visits: an action has the share %g, want %g", visits, got[m.Action], w)
			}
			before += float64(m.Prior) * q(m)
			after += got[m.Action] * q(m)
		}
		if math.Abs(float64(total)-1) > 1e-5 || out.Weight != 1 || after < before-1e-6 {
			t.Fatalf("%d visits: shares sum to %g, weight %g, the value goes from %g to %g", visits, total, out.Weight, before, after)
		}
	}
}

// TestUnplannedVisitsFollowTheImprovedPolicy: without a plan of the visits there is no
// halving. Weak values leave several actions likely.
func TestUnplannedVisitsFollowTheImprovedPolicy(t *testing.T) {
	config := gumbelConfig()
	config.Gumbel.CVisit, config.Gumbel.CScale = 2000, 0.001
	s := New(config, 5000)
	s.Reset(positions(t)[1])
	s.Begin(0, nil)
	run(s, 2000, hashed)
	policy := newImproved(s.config)
	apart, all := 0.0, float64(s.Simulations()-1)
	want := policy.improve(&s.tree, s.rootPriors)
	for i, e := range s.rootEdges() {
		apart += math.Abs(want[i]-float64(e.visits)/all) / 2
	}
	if apart > 0.02 || slices.Max(want) > 0.5 {
		t.Errorf("the visits are %g apart from the improved policy %v", apart, want)
	}
}

// TestGumbelKeepsTrees searches from root to root with few visits, with and
// without noise, plan and temperature.
func TestGumbelKeepsTrees(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	for visits := 1; visits <= 64; visits += 7 {
		s := New(gumbelConfig(), 1000)
		s.Reset(randomGame(rng, rng.IntN(300)))
		for step := 0; step < 20 && !s.Game().Result().Over(); step++ {
			var noise *rand.Rand
			if step%2 == 0 {
				noise = rng
			}
			plan := visits
			if step%5 == 4 {
				plan = 0
			}
			s.Begin(plan, noise)
			run(s, visits, hashed)
			recount(t, s)
			out, ok := s.Outcome(float64(step%3), rng)
			again, _ := s.Outcome(0, nil)
			twice, _ := s.Outcome(0, nil)
			if !ok || s.rootEdge(out.Action) < 0 || again.Action != twice.Action {
				t.Fatalf("the outcome is %+v, then %+v and %+v", out, again, twice)
			}
			s.Advance(out.Action)
		}
	}
}

// TestGumbelVisitsInOrder: in each round of a phase, the better of the actions that are left
// is visited first.
func TestGumbelVisitsInOrder(t *testing.T) {
	config := AlphaZeroConfig()
	const actions, rounds, phases = 8, 2, 3
	config.Rule, config.SeparateEvaluations, config.Gumbel.Actions = GumbelRule, true, actions
	s := New(config, 1000)
	s.Reset(positions(t)[0])
	s.Begin(1+actions*rounds*phases, nil)
	run(s, 1, hashed)
	left := slices.Clone(s.root.(*gumbelRoot).left)
	if len(left) != actions {
		t.Fatalf("%d actions are left, want %d", len(left), actions)
	}
	var priors [game.NumActions]float32
	for n := range actions * rounds {
		leaf, status := s.Select()
		if status != Evaluate {
			t.Fatalf("visit %d needs no evaluation", n)
		}
		if got, want := leaf.path[1].edge-s.nodes[0].first, left[n%actions]; got != want {
			t.Fatalf("visit %d is of action %d, want %d of %v", n, got, want, left)
		}
		p := priors[:len(leaf.Legal)]
		s.Expand(leaf, Evaluation{Priors: p, Value: hashed(leaf.Game, leaf.Legal, p)})
	}
}
