package replay

import (
	"math"
	"math/rand/v2"
	"testing"

	"warren/data"
	"warren/data/datatest"
	"warren/game"
)

// numbers returns the numbers of the games in a window, from old to new.
func numbers(w *Window) (list []uint64) {
	for _, p := range w.games {
		list = append(list, p.key.number)
	}
	return list
}

// The share of samples with a policy target is the requested one, plus those that
// have one by chance.
func TestPolicyShare(t *testing.T) {
	r := datatest.Record(1, 400)
	policies := 0
	for i := range r.Decisions {
		if d := &r.Decisions[i]; d.PolicyWeight > 0 && i%10 > 0 {
			d.PolicyWeight, d.Policy = 0, nil // rare, as in self-play
		}
		if r.Decisions[i].PolicyWeight > 0 {
			policies++
		}
	}
	rare := float64(policies) / float64(r.Positions())
	for _, share := range []float64{0, 0.5, 1} {
		c := outcomes()
		c.PolicyShare = share
		samples := sampled(t, c, r)
		n := 0
		for _, s := range samples {
			if s.PolicyWeight > 0 {
				n++
			}
		}
		if got, want := float64(n)/float64(len(samples)), share+(1-share)*rare; math.Abs(got-want) > 0.03 {
			t.Errorf("policy_share %g: %.3f of the samples have a policy target, want %.3f", share, got, want)
		}
	}
}

// Samples drawn by policy weight follow the weights.
func TestPolicyShareFollowsWeights(t *testing.T) {
	r := datatest.Record(3, 400)
	full, quarter := 0, 0
	for i := range r.Decisions {
		d := &r.Decisions[i]
		switch {
		case d.PolicyWeight == 0:
		case i%3 == 0:
			d.PolicyWeight = 1
			full++
		case i%3 == 1:
			d.PolicyWeight = 0.25
			quarter++
		default:
			d.PolicyWeight, d.Policy = 0, nil
		}
	}
	samples := drawnForPolicy(t, r, 8000)
	drawn := map[float32]int{}
	for _, s := range samples {
		drawn[r.Decisions[s.source.plies[s.index]].PolicyWeight]++
		if s.PolicyWeight != 1 {
			t.Fatalf("a sample drawn by its policy weight has the weight %g, so that it counts twice", s.PolicyWeight)
		}
	}
	want := 0.25 * float64(quarter) / (0.25*float64(quarter) + float64(full))
	got := float64(drawn[0.25]) / float64(len(samples))
	if drawn[0] > 0 || drawn[1]+drawn[0.25] != len(samples) || math.Abs(got-want) > 0.03 {
		t.Errorf("samples by weight: %v of %d; %.3f have weight 0.25, want %.3f", drawn, len(samples), got, want)
	}
}

// drawnForPolicy returns n samples of a window of one game, all drawn for their policy.
func drawnForPolicy(t *testing.T, r *data.Record, n int) []Sample {
	t.Helper()
	c := outcomes()
	c.PolicyShare = 1
	w := NewWindow(1000, c)
	w.Add(1, r)
	samples := make([]Sample, n)
	if err := w.Sample(rand.New(rand.NewPCG(1, 1)), samples); err != nil {
		t.Fatal(err)
	}
	return samples
}

// Where no position has a policy to learn, those that are drawn for their policy have none either.
func TestPolicyShareOfNothing(t *testing.T) {
	r := datatest.Record(3, 40)
	for i := range r.Decisions {
		r.Decisions[i].PolicyWeight, r.Decisions[i].Policy = 0, nil
	}
	samples := drawnForPolicy(t, r, 20)
	for _, s := range samples {
		if s.PolicyWeight != 0 {
			t.Errorf("a sample has the policy weight %g", s.PolicyWeight)
		}
	}
}

// A position whose policy weighs more than 1 is drawn like one of weight 1, and counts in full.
func TestLargePolicyWeight(t *testing.T) {
	const large = 2.5
	r := datatest.Record(3, 400)
	policies, larges := 0, 0
	for i := range r.Decisions {
		d := &r.Decisions[i]
		if d.PolicyWeight == 0 {
			continue
		}
		d.PolicyWeight = 1
		if policies++; i%3 == 0 {
			d.PolicyWeight = large
			larges++
		}
	}
	c := outcomes()
	c.PolicyShare = 1
	samples := sampled(t, c, r)
	n := 0
	for _, s := range samples {
		weight := r.Decisions[s.source.plies[s.index]].PolicyWeight
		if s.PolicyWeight != weight {
			t.Fatalf("a sample of the policy weight %g weighs %g", weight, s.PolicyWeight)
		}
		if weight == large {
			n++
		}
	}
	if got, want := float64(n)/float64(len(samples)), float64(larges)/float64(policies); math.Abs(got-want) > 0.03 {
		t.Errorf("%.3f of the samples weigh %g, want %.3f", got, large, want)
	}
}

// Old positions teach only the value, and those drawn for their policy are new ones.
func TestPolicyPositions(t *testing.T) {
	before, after := datatest.Record(1, 200), datatest.Record(2, 200)
	for _, r := range []*data.Record{before, after} {
		for i := range r.Decisions {
			d := &r.Decisions[i]
			d.PolicyWeight = 1
			if len(d.Policy) == 0 && len(d.Visits) == 0 {
				d.Policy = []data.Share{{Action: d.Action, Share: 1}}
			}
		}
	}
	c := outcomes()
	c.PolicyShare, c.PolicyWindow = 0.5, after.Positions()/2
	w := NewWindow(10_000, c)
	w.Add(1, before)
	w.Add(2, after)
	samples := make([]Sample, 8000)
	if err := w.Sample(rand.New(rand.NewPCG(1, 1)), samples); err != nil {
		t.Fatal(err)
	}
	policies := 0
	soft, values := FindTarget("soft_policy"), make([]float32, game.NumActions)
	for i := range samples {
		s := &samples[i]
		recent := s.source.key.arrival == 2 && s.index >= len(s.source.plies)-c.PolicyWindow
		if got := s.PolicyWeight > 0; got != recent {
			t.Fatalf("position %d of arrival %d: policy weight %g", s.index, s.source.key.arrival, s.PolicyWeight)
		}
		if got := s.Target(soft, values); got != s.PolicyWeight {
			t.Fatalf("position %d of arrival %d: the soft policy weighs %g, the policy %g", s.index, s.source.key.arrival, got, s.PolicyWeight)
		}
		if recent {
			policies++
		}
	}
	share := float64(c.PolicyWindow) / float64(w.Positions())
	if got, want := float64(policies)/float64(len(samples)), 0.5+0.5*share; math.Abs(got-want) > 0.02 {
		t.Errorf("%.3f of the samples have a policy target, want %.3f", got, want)
	}
}

// A window that holds all games has as many of them with a policy target, in proportion.
func TestHolding(t *testing.T) {
	c := Config{WindowPositions: 1000, PolicyWindow: 200}
	for positions, want := range map[int]Config{
		0: c, 1000: c,
		4000: {WindowPositions: 4000, PolicyWindow: 800},
	} {
		if got := c.Holding(positions); got != want {
			t.Errorf("%d positions: %+v, want %+v", positions, got, want)
		}
	}
}

// outcomes returns settings whose value target is the outcome alone.
func outcomes() Config {
	return Config{WindowPositions: 500_000, HeldOutFraction: 0.05, GamesPerShard: 64, LimitValue: 1}
}

// sampled returns 4,000 samples of a window that holds the game r alone.
func sampled(t *testing.T, c Config, r *data.Record) []Sample {
	t.Helper()
	w := NewWindow(1000, c)
	w.Add(1, r)
	samples := make([]Sample, 4000)
	if err := w.Sample(rand.New(rand.NewPCG(1, 1)), samples); err != nil {
		t.Fatal(err)
	}
	return samples
}
