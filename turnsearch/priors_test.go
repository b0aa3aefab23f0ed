package turnsearch

import (
	"testing"

	"warren/game"
)

// TestPassPriorAndSkipReturns walks over all positions within searched turns, the own and the
// opponent's.
func TestPassPriorAndSkipReturns(t *testing.T) {
	for _, on := range []bool{false, true} {
		config := DefaultConfig()
		if on {
			config.PassPrior, config.SkipReturns = 0.01, true
		}
		passes, returns := 0, 0
		at := game.New()
		for _, g := range positions(40) {
			s := search(g, config, 200, 1)
			for _, tr := range append([]*tree{&s.own}, s.replies[:s.opened]...) {
				for i := range tr.positions {
					p := &tr.positions[i]
					if p.count < 2 || p.state != expanded {
						continue
					}
					tr.visit(int32(i), at)
					sum := 0.0
					for _, e := range tr.span(p) {
						sum += float64(e.prior)
						if e.action == game.Pass && e.prior > 0.0101 {
							passes++
						}
						if at.StepsLeft() < 4 && at.Returns(e.action) {
							returns++
						}
					}
					if sum < 0.999 || sum > 1.001 {
						t.Fatalf("priors sum to %g", sum)
					}
				}
			}
		}
		if (passes > 0) == on || (returns > 0) == on {
			t.Errorf("settings on: %v. %d priors of passing above 0.01, %d steps back", on, passes, returns)
		}
	}
}
