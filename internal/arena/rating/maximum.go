package rating

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/floats"
)

// meeting is the games of two players.
type meeting struct {
	a, b         int
	wins, losses float64 // a's
	draws        float64 // the drawn games to which the prior amounts, 0 to 1
}

// information returns the Fisher information about the difference of the players from
// a number of games, at the log odds theta, and a's chance to win.
func (m *meeting) information(theta []float64, games float64) (w, p float64) {
	p = 1 / (1 + math.Exp(theta[m.b]-theta[m.a]))
	return games * p * (1 - p), p
}

// fitting finds the maximum of the likelihood times the prior.
type fitting struct {
	meetings []meeting
	groups   *groups
	theta    []float64 // log odds by player
	factor   *envelope // of the information at theta
	work     *envelope
	below    [][]int
}

func newFitting(r *Results) *fitting {
	f := &fitting{theta: make([]float64, len(r.scores))}
	for i, scores := range r.scores {
		for _, s := range scores {
			if i < s.opponent && s.wins+s.losses > 0 {
				f.meetings = append(f.meetings, meeting{a: i, b: s.opponent, wins: s.wins, losses: s.losses})
			}
		}
	}
	f.groups = newGroups(f.meetings, r.order())
	first := f.groups.firsts(f.meetings)
	f.factor, f.work = newEnvelope(first), newEnvelope(first)
	f.below = f.factor.columns()
	return f
}

// maximize moves theta to the maximum. Every step is Newton's for the draws to which
// the prior amounts at theta.
func (f *fitting) maximize() error {
	var (
		step = make([]float64, len(f.theta)) // by place
		from = make([]float64, len(f.theta))
	)
	now := f.value()
	for range 1000 {
		f.countDraws()
		f.derivatives(step)
		if _, ok := f.work.factorize(); !ok {
			return errors.New("rating: the information is not positive definite")
		}
		f.work.forward(step)
		f.work.backward(step)
		widest := f.widest(step)
		if widest < 1e-9 {
			return nil
		}
		// A step from far away can overshoot. Limit it, and halve it until the point is no
		// worse.
		if widest > longest {
			floats.Scale(longest/widest, step)
			widest = longest
		}
		copy(from, f.theta)
		tolerance := 1e-12 * (1 + math.Abs(now))
		for length := 1.0; ; length /= 2 {
			for i := range f.theta {
				f.theta[i] = from[i] + length*step[f.groups.place[i]]
			}
			after := f.value()
			if after <= now+tolerance && length*widest < 1e-6 {
				return nil // rounding hides what is left
			}
			if after >= now-tolerance {
				now = after
				break
			}
		}
	}
	return errors.New("rating: the maximum was not found in 1000 iterations")
}

// longest is the most that the difference of two players who have met changes in a
// step, in log odds. Where one of them wins nearly always, Newton's step knows little.
const longest = 2

// widest returns the largest change of the difference of two players who have met.
func (f *fitting) widest(step []float64) float64 {
	widest := 0.0
	for _, m := range f.meetings {
		widest = max(widest, math.Abs(step[f.groups.place[m.a]]-step[f.groups.place[m.b]]))
	}
	return widest
}

// value returns the logarithm of the likelihood times the prior at theta, up to a
// constant, and sets factor.
func (f *fitting) value() float64 {
	sum := 0.0
	for _, m := range f.meetings {
		d := f.theta[m.a] - f.theta[m.b]
		sum -= m.wins*softplus(-d) + m.losses*softplus(d)
	}
	f.inform(f.factor, func(m *meeting) float64 { return m.wins + m.losses })
	logDet, ok := f.factor.factorize()
	if !ok {
		return math.Inf(-1)
	}
	return sum + logDet/2
}

// softplus returns log(1+exp(x)) without overflow.
func softplus(x float64) float64 { return max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) }

// inform sets e to the Fisher information at theta from the games of each meeting. The
// fixed player of a group has a 1 on the diagonal and nothing else.
func (f *fitting) inform(e *envelope, games func(*meeting) float64) {
	clear(e.numbers)
	place := f.groups.place
	for i := range f.meetings {
		m := &f.meetings[i]
		w, _ := m.information(f.theta, games(m))
		a, b := place[m.a], place[m.b]
		*e.at(a, a) += w
		*e.at(b, b) += w
		if fixed := f.groups.fixed[f.groups.of[m.a]]; a != fixed && b != fixed {
			*e.at(a, b) -= w
		}
	}
	for _, fixed := range f.groups.fixed {
		*e.at(fixed, fixed) = 1
	}
}

// countDraws sets the draws of every meeting at theta. Half of them on either side
// are the gradient of the prior's logarithm.
func (f *fitting) countDraws() {
	copy(f.work.numbers, f.factor.numbers)
	f.work.invert(f.below)
	place := f.groups.place
	for i := range f.meetings {
		m := &f.meetings[i]
		w, _ := m.information(f.theta, m.wins+m.losses)
		a, b := place[m.a], place[m.b]
		variance := *f.work.at(a, a) + *f.work.at(b, b)
		switch f.groups.fixed[f.groups.of[m.a]] {
		case a, b:
			variance -= 1
		default:
			variance -= 2 * *f.work.at(a, b)
		}
		m.draws = w * variance
	}
}

// derivatives sets gradient, by place, to the gradient of the value at theta, and
// work to the information that includes the draws.
func (f *fitting) derivatives(gradient []float64) {
	clear(gradient)
	place := f.groups.place
	for i := range f.meetings {
		m := &f.meetings[i]
		games := m.wins + m.losses + m.draws
		_, p := m.information(f.theta, games)
		g := m.wins + m.draws/2 - games*p
		gradient[place[m.a]] += g
		gradient[place[m.b]] -= g
	}
	for _, fixed := range f.groups.fixed {
		gradient[fixed] = 0
	}
	f.inform(f.work, func(m *meeting) float64 { return m.wins + m.losses + m.draws })
}
