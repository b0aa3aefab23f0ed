package replay

import (
	"math"
	"math/bits"
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
