package replay

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"

	"warren/data/datatest"
	"warren/game"
)

// The final difference in pieces has the share of the outcome that material_weight says. The outcomes of
// the two sides still sum to 1.
func TestLeadWeight(t *testing.T) {
	leads := map[int]bool{}
	for number := range uint64(20) {
		r := datatest.Record(number, 400)
		g := game.New()
		for _, d := range r.Decisions {
			g.Play(d.Action)
		}
		lead := bits.OnesCount64(g.Board().Color(game.Gold)) - bits.OnesCount64(g.Board().Color(game.Silver))
		leads[lead] = true
		without, with := outcomes(), outcomes()
		with.MaterialWeight.Final = 0.25
		won := newValueTarget(without)
		mixed := newValueTarget(with)
		p := pack(r, key{}, mixed)
		gold, silver := mixed.result(p, game.Gold), mixed.result(p, game.Silver)
		want := 0.75*float64(won.result(pack(r, key{}, won), game.Gold)) + 0.25*float64(leadValue(lead))
		if math.Abs(float64(gold)-want) > 1e-6 || math.Abs(float64(gold+silver)-1) > 1e-6 {
			t.Errorf("game %d with a final lead of %d: %g and %g, want %g for Gold", number, lead, gold, silver, want)
		}
	}
	if len(leads) < 4 {
		t.Errorf("the games ended with leads %v only", leads)
	}
	for lead, want := range map[int]float32{0: 0.5, 1: 2.0 / 3, 2: 0.75, 6: 0.875, -2: 0.25} {
		if got := leadValue(lead); math.Abs(float64(got-want)) > 1e-6 {
			t.Errorf("a lead of %d is worth %g, want %g", lead, got, want)
		}
	}
}

// The share of the difference in pieces falls from game to game and ends at material_weight.games.
func TestLeadWeightFalls(t *testing.T) {
	c := outcomes()
	c.MaterialWeight = MaterialConfig{0.4, 0, 1000}
	r := datatest.Record(1, 400)
	lead := float64(leadValue(finalLead(r)))
	if lead == 0.5 {
		t.Fatal("the game ended with equal pieces, which tells nothing")
	}
	won := newValueTarget(outcomes())
	for number, share := range map[uint64]float64{0: 0.4, 250: 0.3, 999: 0.0004, 1000: 0, 5000: 0} {
		r.Game = number
		p := pack(r, key{}, newValueTarget(c))
		want := (1-share)*float64(won.result(pack(r, key{}, won), game.Gold)) + share*lead
		if got := float64(newValueTarget(c).result(p, game.Gold)); math.Abs(got-want) > 1e-6 {
			t.Errorf("game %d has the value %g, want %g", number, got, want)
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
	c := outcomes()
	c.PolicyShare = 1
	w := NewWindow(1000, c)
	w.Add(1, r)
	samples := make([]Sample, 8000)
	if err := w.Sample(rand.New(rand.NewPCG(1, 1)), samples); err != nil {
		t.Fatal(err)
	}
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
