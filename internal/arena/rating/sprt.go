package rating

import (
	"fmt"
	"math"
)

// SPRT is Wald's sequential probability ratio test (1945) for two players. It decides
// between two hypotheses, that the difference in rating is Elo0 or that it is Elo1. It
// counts whole pairs of games with the colours exchanged, because pairs are
// independent of each other. It is a generalised test (GSPRT): it assumes nothing
// about how often the two games of a pair have the same winner. Fishtest made this
// way of testing common among chess engines.
type SPRT struct {
	Elo0, Elo1 float64 // the hypotheses, -1000 to 1000; Elo0 is less
	Alpha      float64 // probability of accepting Elo1 if Elo0 is true, 0 to 0.5
	Beta       float64 // probability of accepting Elo0 if Elo1 is true, 0 to 0.5
}

// Decision is the state of a test.
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

// Validate returns an error if a field is out of range.
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

// Decide returns the decision after the pairs counted so far, by the number of their games
// that the first player won. Call it after every pair, and end the match at the first decision.
func (t SPRT) Decide(pairs [3]int) Decision {
	lower, upper := t.bounds()
	switch llr := t.LLR(pairs); {
	case llr >= upper:
		return AcceptElo1
	case llr <= lower:
		return AcceptElo0
	}
	return Undecided
}

// bounds returns the log likelihood ratios at or beyond which the test accepts Elo0
// (lower) and Elo1 (upper).
func (t SPRT) bounds() (lower, upper float64) {
	return math.Log(t.Beta / (1 - t.Alpha)), math.Log((1 - t.Beta) / t.Alpha)
}

// LLR returns the logarithm of the likelihood ratio of Elo1 to Elo0; pairs is as in
// [SPRT.Decide]. An outcome that has not occurred counts as a thousandth of one, because it
// is still possible.
//
// For each hypothesis, the frequencies of the outcomes are those that maximize the
// likelihood of the counts among all frequencies with the mean score of the
// hypothesis (Van den Bergh, "The generalized maximum likelihood ratio for the
// expectation value of a distribution", 2019). They are
// q[k] = p[k]/(1+x*(score[k]-mean)), where p are the observed frequencies and x is
// chosen so that the mean is right.
func (t SPRT) LLR(pairs [3]int) float64 {
	n, p := 0.0, [3]float64{}
	for k, c := range pairs {
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
		s := float64(k) / 2
		llr += c * (math.Log1p(x0*(s-s0)) - math.Log1p(x1*(s-s1)))
	}
	return llr
}

// tilt returns the x of the comment on LLR. It finds the root of the decreasing
// function sum p[k]*(s[k]-mean)/(1+x*(s[k]-mean)) by bisection.
func tilt(p [3]float64, mean float64) float64 {
	low, high := -1/(1-mean), 1/mean // the poles of the function
	for range 60 {
		x, sum := (low+high)/2, 0.0
		for k, c := range p {
			d := float64(k)/2 - mean
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
