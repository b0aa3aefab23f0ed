package rating

import (
	"fmt"
	"math"
)

// SPRT is the sequential probability ratio test (Wald 1945) of one player against
// another: is the difference in rating Elo0 or Elo1? It counts whole pairs of games
// with the colours exchanged, because pairs are independent of each other. It is
// the generalised test (GSPRT), which assumes nothing about how often the two games
// of a pair end the same way. Fishtest made this the common test of chess engines.
type SPRT struct {
	Elo0, Elo1 float64 // the hypotheses; Elo0 is less
	Alpha      float64 // chance to accept Elo1 where Elo0 is true, 0 to 0.5
	Beta       float64 // chance to accept Elo0 where Elo1 is true, 0 to 0.5
}

// Decision is the result of a test so far.
type Decision int

const (
	Undecided Decision = iota
	AcceptElo0
	AcceptElo1
)

// String returns "undecided", "elo0 accepted" or "elo1 accepted".
func (d Decision) String() string {
	return [...]string{"undecided", "elo0 accepted", "elo1 accepted"}[d]
}

// MarshalText writes the decision as String does.
func (d Decision) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText reads what MarshalText writes.
func (d *Decision) UnmarshalText(text []byte) error {
	for *d = Undecided; *d <= AcceptElo1; *d++ {
		if d.String() == string(text) {
			return nil
		}
	}
	return fmt.Errorf("rating: there is no decision %q", text)
}

// Validate returns an error if the test cannot be carried out.
func (t SPRT) Validate() error {
	switch {
	case !(t.Elo0 < t.Elo1):
		return fmt.Errorf("elo0 is %g and elo1 %g: elo0 must be less", t.Elo0, t.Elo1)
	case math.Abs(t.Elo0) > 1000 || math.Abs(t.Elo1) > 1000:
		return fmt.Errorf("elo0 is %g and elo1 %g: both must be from -1000 to 1000", t.Elo0, t.Elo1)
	case !(t.Alpha > 0 && t.Alpha < 0.5):
		return fmt.Errorf("alpha is %g, must be above 0 and below 0.5", t.Alpha)
	case !(t.Beta > 0 && t.Beta < 0.5):
		return fmt.Errorf("beta is %g, must be above 0 and below 0.5", t.Beta)
	}
	return nil
}

// Bounds returns the log likelihood ratios at which the test accepts Elo0 and Elo1.
func (t SPRT) Bounds() (lower, upper float64) {
	return math.Log(t.Beta / (1 - t.Alpha)), math.Log((1 - t.Beta) / t.Alpha)
}

// Decide returns the decision after the pairs counted so far. It should be called
// after every pair; once it decides, the match is over.
func (t SPRT) Decide(pairs []int) Decision {
	lower, upper := t.Bounds()
	switch llr := t.LLR(pairs); {
	case llr >= upper:
		return AcceptElo1
	case llr <= lower:
		return AcceptElo0
	}
	return Undecided
}

// LLR returns the logarithm of the likelihood ratio of Elo1 against Elo0.
// counts[k] is the number of outcomes with a score of k/(len(counts)-1). A pair of
// games without draws has three outcomes (both lost, one of each, both won), with
// draws five; a single game with draws has three.
//
// For either hypothesis, the frequencies of the outcomes are those of maximum
// likelihood among all with that mean score (Van den Bergh, "The generalized
// maximum likelihood ratio for the expectation value of a distribution", 2019):
// q[k] = p[k]/(1+x*(score[k]-mean)), where p are the observed frequencies and x is
// chosen so that q has that mean.
func (t SPRT) LLR(counts []int) float64 {
	n, p := 0.0, make([]float64, len(counts))
	for k, c := range counts {
		// An outcome that has not occurred yet is not impossible.
		p[k] = max(float64(c), 1e-3)
		n += p[k]
	}
	if n < 1 {
		return 0
	}
	s0, s1 := Chance(t.Elo0), Chance(t.Elo1)
	x0, x1 := tilt(p, s0), tilt(p, s1)
	llr := 0.0
	for k, c := range p {
		s := float64(k) / float64(len(p)-1)
		llr += c * (math.Log1p(x0*(s-s0)) - math.Log1p(x1*(s-s1)))
	}
	return llr
}

// tilt returns the x in the comment of LLR. It finds the root of the decreasing
// function sum p[k]*(s[k]-mean)/(1+x*(s[k]-mean)) by bisection.
func tilt(p []float64, mean float64) float64 {
	low, high := -1/(1-mean), 1/mean // poles, where it is infinite
	for range 60 {
		x, sum := (low+high)/2, 0.0
		for k, c := range p {
			d := float64(k)/float64(len(p)-1) - mean
			sum += c * d / (1 + x*d)
		}
		if sum > 0 {
			low = x
		} else {
			high = x
		}
	}
	return (low + high) / 2
}
