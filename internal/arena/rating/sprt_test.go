package rating

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestKnownRatios compares the ratio with values from the tests of fastchess for real
// matches. Their three outcomes are losses, draws and wins.
func TestKnownRatios(t *testing.T) {
	for _, c := range []struct {
		elo0, elo1 float64
		counts     [3]int
		want       float64
	}{
		{0.5, 2.5, [3]int{21184, 40708, 21404}, -1.57},
		{0, 2, [3]int{57030, 106593, 57433}, -2.59},
	} {
		if got := (SPRT{c.elo0, c.elo1, 0.05, 0.05}).LLR(c.counts); math.Abs(got-c.want) > 0.01 {
			t.Errorf("%v: %.4f, want %.2f", c.counts, got, c.want)
		}
	}
	// Where both games of a pair have the same winner, the generalised ratio is about Wald's ratio.
	p0, p1 := Chance(0.), Chance(50.)
	want := 60*math.Log(p1/p0) + 40*math.Log((1-p1)/(1-p0))
	if got := (SPRT{0, 50, 0.05, 0.05}).LLR([3]int{40, 0, 60}); math.Abs(got-want) > 1e-3 {
		t.Errorf("no pair is shared: %v, by hand %v", got, want)
	}
	if lower, upper := (SPRT{0, 5, 0.05, 0.05}).bounds(); math.Abs(lower+2.944) > 1e-3 || math.Abs(upper-2.944) > 1e-3 {
		t.Errorf("bounds %v and %v, want -2.944 and 2.944", lower, upper)
	}
	if lower, upper := (SPRT{0, 5, 0.05, 0.1}).bounds(); math.Abs(lower+2.251) > 1e-3 || math.Abs(upper-2.890) > 1e-3 {
		t.Errorf("bounds %v and %v, want -2.251 and 2.890", lower, upper)
	}
	if got := (SPRT{0, 5, 0.05, 0.05}).Decide([3]int{}); got != Undecided {
		t.Errorf("nothing played: %v", got)
	}
}

// An outcome that has not occurred counts as a thousandth of one. The ratio is that of
// the frequencies found by a search.
func TestOutcomesThatHaveNotOccurred(t *testing.T) {
	likelihood := func(p [3]float64, mean float64) float64 {
		best := math.Inf(-1)
		low, high := 0.0, 2*min(mean, 1-mean) // of the middle outcome
		for range 200 {
			a, b := low+(high-low)/3, high-(high-low)/3
			at := func(q float64) float64 {
				return p[0]*math.Log(1-mean-q/2) + p[1]*math.Log(q) + p[2]*math.Log(mean-q/2)
			}
			if best = at(a); at(a) < at(b) {
				low = a
			} else {
				high = b
			}
		}
		return best
	}
	for counts, p := range map[[3]int][3]float64{
		{0, 0, 10}: {1e-3, 1e-3, 10},
		{0, 6, 4}:  {1e-3, 6, 4},
		{5, 0, 9}:  {5, 1e-3, 9},
	} {
		want := likelihood(p, Chance(60)) - likelihood(p, Chance(0))
		if got := (SPRT{0, 60, 0.05, 0.05}).LLR(counts); math.Abs(got-want) > 1e-6 {
			t.Errorf("%v: %v, want %v", counts, got, want)
		}
	}
}

// The test decides as soon as the ratio reaches a bound.
func TestDecidesAtTheBounds(t *testing.T) {
	test := SPRT{0, 60, 0.05, 0.1}
	lower, upper := test.bounds()
	for _, c := range []struct {
		pair [3]int // repeated until the decision
		want Decision
	}{{[3]int{1, 3, 2}, AcceptElo1}, {[3]int{2, 3, 1}, AcceptElo0}} {
		var counts, before [3]int
		for test.Decide(counts) == Undecided {
			before = counts
			for k, n := range c.pair {
				counts[k] += n
			}
		}
		llr, was := test.LLR(counts), test.LLR(before)
		if got := test.Decide(counts); got != c.want || was <= lower || was >= upper || llr > lower && llr < upper {
			t.Errorf("%v: %v at %.2f, undecided at %.2f; the bounds are %.2f and %.2f", counts, got, llr, was, lower, upper)
		}
	}
}

// TestErrorRates simulates matches in which one of the hypotheses is true. In some of
// them all games are independent; in others the colour decides part of the pairs.
func TestErrorRates(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	test := SPRT{0, 60, 0.05, 0.1}
	for _, c := range []struct {
		name       string
		elo        float64
		split      float64 // share of the pairs that the colour decides
		wrong      Decision
		atMost     float64
		pairsUntil float64
	}{
		{"elo0, independent", 0, 0, AcceptElo1, 0.05, 250},
		{"elo1, independent", 60, 0, AcceptElo0, 0.10, 250},
		{"elo0, by colour", 0, 0.5, AcceptElo1, 0.05, 150},
		{"elo1, by colour", 60, 0.5, AcceptElo0, 0.10, 150},
	} {
		const matches = 400
		wrong, pairs := 0, 0
		// Pairs that the colour decides score one half, so the others must score more.
		chance := 0.5 + (Chance(c.elo)-0.5)/(1-c.split)
		for range matches {
			var counts [3]int
			for {
				wins := 1
				if rng.Float64() >= c.split {
					wins = 0
					for range 2 {
						if rng.Float64() < chance {
							wins++
						}
					}
				}
				counts[wins]++
				pairs++
				if d := test.Decide(counts); d != Undecided {
					if d == c.wrong {
						wrong++
					}
					break
				}
			}
		}
		// Allow three standard deviations of the simulation.
		if rate := float64(wrong) / matches; rate > c.atMost+3*math.Sqrt(c.atMost/matches) {
			t.Errorf("%s: wrong in %.1f%% of the matches, want at most %.0f%%", c.name, 100*rate, 100*c.atMost)
		} else if rate < c.atMost/3 { // a test that errs less plays more games than it was asked for
			t.Errorf("%s: wrong in only %.1f%% of the matches, want about %.0f%%", c.name, 100*rate, 100*c.atMost)
		}
		if mean := float64(pairs) / matches; mean > c.pairsUntil {
			t.Errorf("%s: %.0f pairs on average", c.name, mean)
		}
	}
}

func TestValidate(t *testing.T) {
	if err := (SPRT{-5, 0, 0.05, 0.05}).Validate(); err != nil {
		t.Error(err)
	}
	for _, bad := range []SPRT{{5, 5, 0.05, 0.05}, {0, 5000, 0.05, 0.05}, {0, 5, 0, 0.05}, {0, 5, 0.05, 0.7}, {0, math.NaN(), 0.05, 0.05}} {
		if bad.Validate() == nil {
			t.Errorf("%+v is accepted", bad)
		}
	}
}
