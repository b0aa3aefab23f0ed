package selfplay

import (
	"math"
	"slices"
	"testing"

	"warren/data"
	"warren/game"
	"warren/mcts"
)

func TestDivergence(t *testing.T) {
	root := []mcts.ActionStats{{Action: 7, Prior: 0.5}, {Action: 2, Prior: 0.25}, {Action: 9, Prior: 0.25}, {Action: 4}}
	for name, c := range map[string]struct {
		target []mcts.Share
		want   float64
		known  bool
	}{
		"of the prior itself":    {[]mcts.Share{{Action: 2, Share: 0.25}, {Action: 7, Share: 0.5}, {Action: 9, Share: 0.25}}, 0, true},
		"of a single action":     {[]mcts.Share{{Action: 9, Share: 1}}, math.Log(4), true},
		"of two actions":         {[]mcts.Share{{Action: 7, Share: 0.25}, {Action: 9, Share: 0.75}}, 0.25*math.Log(0.5) + 0.75*math.Log(3), true},
		"of one without a prior": {[]mcts.Share{{Action: 7, Share: 0.5}, {Action: 4, Share: 0.5}}, 0, false},
		"of one that is unknown": {[]mcts.Share{{Action: 8, Share: 1}}, 0, false},
		"of nothing":             {nil, 0, false},
	} {
		if got, known := divergence(c.target, root); math.Abs(got-c.want) > 1e-12 || known != c.known {
			t.Errorf("%s: %v, %t, want %v, %t", name, got, known, c.want, c.known)
		}
	}
}

// TestSurpriseWeight checks that surprise changes nothing but the weights of the policy, and
// that their sum stays the same. The weights follow from the targets and the nearly uniform priors.
func TestSurpriseWeight(t *testing.T) {
	job := testJob(2, 2)
	job.Count, job.Config.TurnLimit = 4, 20
	job.Config.SetupPolicyWeight, job.Config.FullFraction = 0.5, 0.4
	plain := playAll(t, job)
	job.Config.SurpriseWeight = 0.5
	changed := 0
	for number, r := range playAll(t, job) {
		if err := r.Validate(); err != nil {
			t.Fatal(err)
		}
		before := plain[number].Decisions
		if len(before) != len(r.Decisions) {
			t.Fatalf("game %d is another game", number)
		}
		kl := surprisesOf(t, before)
		var sum, weighted float64
		for i := range kl {
			sum += float64(before[i].PolicyWeight)
			weighted += float64(before[i].PolicyWeight) * kl[i]
		}
		var total float64
		for i, d := range r.Decisions {
			want := float64(before[i].PolicyWeight)
			if _, ok := kl[i]; ok {
				want *= 0.5 + 0.5*kl[i]*sum/weighted
				total += float64(d.PolicyWeight)
			}
			if math.Abs(float64(d.PolicyWeight)-want) > 0.03*want {
				t.Errorf("game %d, decision %d: the policy weighs %g, want %g", number, i, d.PolicyWeight, want)
			}
			if d.PolicyWeight != before[i].PolicyWeight {
				changed++
			}
			if d.PolicyWeight = before[i].PolicyWeight; !same(d, before[i]) {
				t.Errorf("game %d, decision %d: more than the weight differs", number, i)
			}
		}
		if math.Abs(total-sum) > 1e-4*sum {
			t.Errorf("game %d: the weights sum to %g, want %g", number, total, sum)
		}
	}
	if changed < 50 {
		t.Errorf("only %d weights changed", changed)
	}
}

// same reports whether two decisions are the same in every respect.
func same(a, b data.Decision) bool {
	return a.Action == b.Action && a.Full == b.Full && a.Value == b.Value && a.ValueWeight == b.ValueWeight &&
		a.PolicyWeight == b.PolicyWeight && slices.Equal(a.Visits, b.Visits) && slices.Equal(a.Policy, b.Policy)
}

// surprisesOf returns the divergence of every target after the setup from uniform priors.
func surprisesOf(t *testing.T, decisions []data.Decision) map[int]float64 {
	t.Helper()
	kl := map[int]float64{}
	g := game.New()
	for i, d := range decisions {
		if d.PolicyWeight > 0 && !g.InSetup() {
			target := d.Policy
			if target == nil {
				var sum float64
				for _, v := range d.Visits {
					sum += float64(v.Count)
				}
				for _, v := range d.Visits {
					target = append(target, data.Share{Action: v.Action, Share: float32(float64(v.Count) / sum)})
				}
			}
			prior := 1 / float64(len(g.Legal(nil)))
			for _, s := range target {
				kl[i] += float64(s.Share) * math.Log(float64(s.Share)/prior)
			}
		}
		g.Play(d.Action)
	}
	if len(kl) == 0 {
		t.Fatal("no targets")
	}
	return kl
}
