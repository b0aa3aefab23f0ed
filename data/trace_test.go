package data

import (
	"math"
	"math/rand/v2"
	"testing"

	"warren/game"
)

// The value target with a horizon is the sum over the later searches that the setting describes.
func TestValueHorizon(t *testing.T) {
	c := everyPosition()
	c.RootValueWeight, c.ValueHorizon, c.LeadWeight = 0.6, 5, 0.25
	target := newValueTarget(c)
	for number := range uint64(10) {
		r := randomRecord(number, 400)
		p := pack(r, key{}, target)
		var sides []game.Color
		g := game.New()
		for _, d := range r.Decisions {
			sides = append(sides, g.Side())
			g.PlayHandicap(d.Action, r.Missing)
		}
		for i, ply := range p.plies {
			side := sides[ply]
			stays := math.Exp(-1.0 / 20)
			left, want := 1.0, 0.0
			for j := int(ply); j < len(sides); j++ {
				if !r.Decisions[j].Searched() {
					continue
				}
				v := float64(r.Decisions[j].Value)
				if sides[j] != side {
					v = 1 - v
				}
				want += left * (1 - stays) * v
				left *= stays
			}
			outcome := float64(target.result(p, side))
			want = 0.4*outcome + 0.6*(want+left*outcome)
			if got := target.of(p, i, side, 0); math.Abs(float64(got)-want) > 1e-5 {
				t.Fatalf("game %d, decision %d: %g, want %g", number, ply, got, want)
			}
		}
	}
}

// A window that looks ahead has the samples of one that does not, with other values, which are
// nearer to the root value as the horizon falls.
func TestValueHorizonOfSamples(t *testing.T) {
	r := randomRecord(1, 400)
	samples := func(horizon float64) []Sample {
		c := everyPosition()
		c.RootValueWeight, c.ValueHorizon = 1, horizon
		w := NewWindow(1_000_000, c)
		w.Add(1, r)
		s := make([]Sample, 50)
		if err := w.Sample(rand.New(rand.NewPCG(1, 2)), s); err != nil {
			t.Fatal(err)
		}
		return s
	}
	own, near, far := samples(0), samples(1e-3), samples(1e6)
	for i := range own {
		if own[i].index != near[i].index || math.Abs(float64(own[i].Value-near[i].Value)) > 1e-6 {
			t.Errorf("sample %d: %g without a horizon, %g with the shortest", i, own[i].Value, near[i].Value)
		}
		if o := newValueTarget(everyPosition()).result(far[i].source, far[i].Game.Side()); math.Abs(float64(far[i].Value-o)) > 1e-2 {
			t.Errorf("sample %d: %g with a far horizon, and the outcome is %g", i, far[i].Value, o)
		}
	}
}
