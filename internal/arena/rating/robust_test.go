package rating

import (
	"math"
	"math/rand/v2"
	"testing"
)

// However much the results contradict each other, the maximum is found, and every
// rating and margin is
// finite. Whole steps of Newton go astray here.
func TestEveryResultHasRatings(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	counts := []float64{0, 0, 0, 0.5, 1, 2, 30, 1000}
	for try := range 2000 {
		n := 1 + rng.IntN(25)
		r := NewResults(n)
		for range rng.IntN(3 * n) {
			if i, j := rng.IntN(n), rng.IntN(n); i != j {
				r.Add(i, j, counts[rng.IntN(len(counts))])
			}
		}
		f, err := Fit(r, rng.IntN(n+1)-1)
		if err != nil {
			t.Errorf("try %d: %v", try, err)
			continue
		}
		for i, elo := range f.Elo {
			if m := f.Margin(i); !(math.Abs(elo) < 1e5 && m >= 0 && m < 1e7) {
				t.Errorf("try %d: player %d is rated %v +-%v", try, i, elo, m)
			}
		}
	}
}
