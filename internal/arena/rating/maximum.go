package rating

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
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
	meetings    []meeting
	groups      *groups
	theta       []float64 // log odds by player
	information *mat.SymDense
	factor      mat.Cholesky // of the information
	covariance  mat.SymDense // of theta
}

func newFitting(r *Results) *fitting {
	n := len(r.scores)
	f := &fitting{theta: make([]float64, n), information: mat.NewSymDense(n, nil)}
	for i, scores := range r.scores {
		for _, s := range scores {
			if i < s.opponent && s.wins+s.losses > 0 {
				f.meetings = append(f.meetings, meeting{a: i, b: s.opponent, wins: s.wins, losses: s.losses})
			}
		}
	}
	f.groups = newGroups(f.meetings, n)
	return f
}

// maximize moves theta to the maximum and sets the covariance. Every step is Newton's
// for the draws to which the prior amounts at theta.
func (f *fitting) maximize() error {
	var (
		gradient = mat.NewVecDense(len(f.theta), nil)
		step     = mat.NewVecDense(len(f.theta), nil)
		from     = make([]float64, len(f.theta))
	)
	now := f.value()
	for range 1000 {
		if err := f.factor.InverseTo(&f.covariance); err != nil {
			return fmt.Errorf("rating: the information: %w", err)
		}
		f.countDraws()
		f.derivatives(gradient.RawVector().Data)
		if !f.factor.Factorize(f.information) {
			return errors.New("rating: the information is not positive definite")
		}
		if err := f.factor.SolveVecTo(step, gradient); err != nil {
			return fmt.Errorf("rating: the information: %w", err)
		}
		widest := f.widest(step)
		if widest < 1e-9 {
			return nil
		}
		// A step from far away can overshoot. Limit it, and halve it until the point is no
		// worse.
		if widest > longest {
			step.ScaleVec(longest/widest, step)
			widest = longest
		}
		copy(from, f.theta)
		tolerance := 1e-12 * (1 + math.Abs(now))
		for length := 1.0; ; length /= 2 {
			floats.AddScaledTo(f.theta, from, length, step.RawVector().Data)
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
func (f *fitting) widest(step *mat.VecDense) float64 {
	widest := 0.0
	for _, m := range f.meetings {
		widest = max(widest, math.Abs(step.AtVec(m.a)-step.AtVec(m.b)))
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
	f.inform(func(m *meeting) float64 { return m.wins + m.losses })
	if !f.factor.Factorize(f.information) {
		return math.Inf(-1)
	}
	return sum + f.factor.LogDet()/2
}

// softplus returns log(1+exp(x)) without overflow.
func softplus(x float64) float64 { return max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) }

// inform sets the information at theta: the Fisher information from the games of each
// meeting, and what is known about the mean of each group, which changes the determinant
// by a constant factor.
func (f *fitting) inform(games func(*meeting) float64) {
	for _, members := range f.groups.members {
		mean := scale / (unconnected * float64(len(members)))
		for _, i := range members {
			for _, j := range members {
				f.information.SetSym(i, j, mean*mean)
			}
		}
	}
	add := func(i, j int, w float64) { f.information.SetSym(i, j, f.information.At(i, j)+w) }
	for i := range f.meetings {
		m := &f.meetings[i]
		w, _ := m.information(f.theta, games(m))
		add(m.a, m.a, w)
		add(m.b, m.b, w)
		add(m.a, m.b, -w)
	}
}

// countDraws sets the draws of every meeting at theta. Half of them on either side
// are the gradient of the prior's logarithm.
func (f *fitting) countDraws() {
	c := &f.covariance
	for i := range f.meetings {
		m := &f.meetings[i]
		w, _ := m.information(f.theta, m.wins+m.losses)
		m.draws = w * (c.At(m.a, m.a) + c.At(m.b, m.b) - 2*c.At(m.a, m.b))
	}
}

// derivatives sets gradient to the gradient of the value at theta, and the information
// to that which includes the draws.
func (f *fitting) derivatives(gradient []float64) {
	clear(gradient)
	for i := range f.meetings {
		m := &f.meetings[i]
		games := m.wins + m.losses + m.draws
		_, p := m.information(f.theta, games)
		g := m.wins + m.draws/2 - games*p
		gradient[m.a] += g
		gradient[m.b] -= g
	}
	f.inform(func(m *meeting) float64 { return m.wins + m.losses + m.draws })
}
