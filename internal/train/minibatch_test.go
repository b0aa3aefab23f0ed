package train

import (
	"math/rand/v2"
	"testing"

	"warren/data/replay"
	"warren/internal/recipe"
)

// TestTargetsHaveTheirOwnWeights: a position that teaches only the policy has no weight in
// the value's loss, and one that teaches only the value none in the policy's.
func TestTargetsHaveTheirOwnWeights(t *testing.T) {
	c := tiny(recipe.Sync)
	w := replay.NewWindow(100_000, c.Data)
	for seed := range uint64(20) {
		r := pursuit(seed)
		for i := range r.Decisions {
			d := &r.Decisions[i]
			d.PolicyWeight, d.ValueWeight = float32(i%3), float32((i+1)%2)
		}
		w.Add(0, r)
	}
	m, err := newMinibatch(c.Network, 256)
	if err != nil {
		t.Fatal(err)
	}
	b, err := m.sample(w, rand.New(rand.NewPCG(1, 2)))
	if err != nil {
		t.Fatal(err)
	}
	seen := map[[2]bool]int{}
	for i, s := range m.samples {
		if p, v := b.Targets[0].Weight[i], b.Targets[1].Weight[i]; p != s.PolicyWeight || v != s.ValueWeight {
			t.Fatalf("position %d has the weights %g and %g, want %g and %g", i, p, v, s.PolicyWeight, s.ValueWeight)
		}
		seen[[2]bool{s.PolicyWeight > 0, s.ValueWeight > 0}]++
	}
	for _, teaches := range [][2]bool{{true, true}, {true, false}, {false, true}} {
		if seen[teaches] < 20 {
			t.Errorf("%d positions teach policy and value: %v", seen[teaches], teaches)
		}
	}
}
