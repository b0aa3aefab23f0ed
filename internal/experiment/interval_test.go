package experiment

import (
	"math"
	"testing"
)

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) < 1e-5) {
		t.Errorf("%s is %.6f, want %.6f", what, got, want)
	}
}

// Student's quantiles as in printed tables.
func TestQuantile(t *testing.T) {
	for degrees, want := range map[int]float64{1: 12.70620, 2: 4.30265, 4: 2.77645, 30: 2.04227} {
		near(t, "the quantile", quantile(degrees), want)
	}
}

// By hand: mean 0.4, standard deviation 0.2, so half the width is
// 4.30265 * 0.2 / sqrt(3).
func TestOverSeeds(t *testing.T) {
	e, ok := overSeeds([]float64{0.2, 0.4, 0.6})
	if !ok {
		t.Error("three seeds give no interval")
	}
	near(t, "the mean", e.Mean, 0.4)
	near(t, "the lower end", e.Low, 0.4-0.496828)
	near(t, "the upper end", e.High, 0.4+0.496828)
	if e, ok := overSeeds([]float64{7}); ok || e.Mean != 7 {
		t.Errorf("one seed gives %v, %v", e, ok)
	}
}

// By hand: the rows' means are 0.54, 0.56, 0.58, with variance 0.0004, the columns'
// 0.52, 0.56, 0.60, with variance 0.0016. The variance of the mean is a third of
// their sum, and half the width 4.30265 times its root.
func TestCrossed(t *testing.T) {
	c := func(wins int) count { return count{wins, 100} }
	counts := [][]count{{c(50), c(54), c(58)}, {c(52), c(56), c(60)}, {c(54), c(58), c(62)}}
	r := crossed(counts)
	near(t, "the mean", r.Mean, 0.56)
	near(t, "the lower end", r.Low, 0.56-0.111094)
	near(t, "the upper end", r.High, 0.56+0.111094)
	if r.Wins != 504 || r.Games != 900 || !r.Seeds || r.beats() {
		t.Errorf("it is %+v", r)
	}
}

// Against a single player only the seeds of the one side count: 0.2, 0.4, 0.6.
func TestCrossedWithOnePlayer(t *testing.T) {
	r := crossed([][]count{{{200, 1000}}, {{400, 1000}}, {{600, 1000}}})
	near(t, "the mean", r.Mean, 0.4)
	near(t, "the lower end", r.Low, 0)
	near(t, "the upper end", r.High, 0.4+0.496828)
}

// Wilson's interval of 8 wins of 10 is 0.4902 to 0.9433. It stands where there is
// one seed, and where seeds happen to agree.
func TestCrossedIsNotNarrowerThanTheGamesAllow(t *testing.T) {
	one := crossed([][]count{{{8, 10}}})
	near(t, "the lower end", one.Low, 0.490162)
	near(t, "the upper end", one.High, 0.943318)
	if one.Seeds {
		t.Error("one seed counts as an interval over seeds")
	}
	agree := crossed([][]count{{{4, 5}}, {{4, 5}}})
	near(t, "the lower end", agree.Low, 0.490162)
	if !agree.Seeds {
		t.Error("two seeds do not count as an interval over seeds")
	}
}

// Networks that meet only those with the same seed are pairs, and the interval is Student's over
// these: 0.2, 0.4, 0.6.
func TestCrossedOfPairs(t *testing.T) {
	r := crossed([][]count{{{200, 1000}, {}, {}}, {{}, {400, 1000}, {}}, {{}, {}, {600, 1000}}})
	near(t, "the mean", r.Mean, 0.4)
	near(t, "the upper end", r.High, 0.4+0.496828)
}

// Pairings that have not been played yet are left out.
func TestCrossedOfUnfinishedMatches(t *testing.T) {
	r := crossed([][]count{{{1, 2}, {}}, {{}, {}}})
	near(t, "the mean", r.Mean, 0.5)
	if r.Games != 2 {
		t.Errorf("it is %+v", r)
	}
	if r := crossed([][]count{{{}}}); r.Games != 0 || r.beats() {
		t.Errorf("without games it is %+v", r)
	}
}
