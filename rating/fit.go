package rating

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// PriorSD is the standard deviation, in Elo, of the prior: a normal distribution of
// every rating around the players' mean. The prior gives a finite rating to players
// who won or lost everything. Beside real games it weighs almost nothing: as much
// as a tenth of a win for a player 1500 points from the mean.
const PriorSD = 1500

// Mean, in place of a player's number, makes the mean of all ratings the anchor.
const Mean = -1

// z95 is the number of standard deviations that a 95% interval reaches to either side.
const z95 = 1.959963984540054

// Ratings are the players' strengths on the Elo scale, relative to an anchor whose
// rating is 0. The intervals are those of the distance to the anchor.
type Ratings struct {
	Elo []float64
	// covariance of Elo, in Elo²; 0 for an anchor that is a player.
	covariance []float64
}

// Fit returns the ratings of maximum likelihood (Bradley and Terry 1952; Zermelo
// 1929) with the prior that [PriorSD] describes. The anchor is a player's number or
// [Mean]. The covariance is the inverse of the Fisher information at the maximum,
// including that of the prior.
//
// The log likelihood is concave; Newton's method finds its maximum.
func Fit(r *Results, anchor int) (*Ratings, error) {
	n := r.players
	if n == 0 {
		return nil, errors.New("rating: no players")
	}
	if anchor != Mean && (anchor < 0 || anchor >= n) {
		return nil, fmt.Errorf("rating: the anchor is player %d of %d", anchor, n)
	}
	const precision = scale * scale / (PriorSD * PriorSD)
	var (
		theta    = mat.NewVecDense(n, nil) // log odds
		gradient = mat.NewVecDense(n, nil)
		step     = mat.NewVecDense(n, nil)
		trial    = mat.NewVecDense(n, nil)
		info     = mat.NewSymDense(n, nil)
		cholesky mat.Cholesky
	)
	now := r.logLikelihood(theta, precision)
	for iteration := 0; ; iteration++ {
		r.derivatives(theta, precision, gradient, info)
		if !cholesky.Factorize(info) {
			return nil, errors.New("rating: the information is not positive definite")
		}
		if err := cholesky.SolveVecTo(step, gradient); err != nil {
			return nil, fmt.Errorf("rating: %w", err)
		}
		// A step from far away can overshoot, so it is halved until the result is no worse.
		length := 1.0
		for ; length > 1e-9; length /= 2 {
			trial.AddScaledVec(theta, length, step)
			if after := r.logLikelihood(trial, precision); after >= now {
				theta.CopyVec(trial)
				now = after
				break
			}
		}
		if length*mat.Norm(step, math.Inf(1)) < 1e-9 || length <= 1e-9 {
			break
		}
		if iteration == 200 {
			return nil, errors.New("rating: the maximum was not found in 200 iterations")
		}
	}
	var inverse mat.SymDense
	if err := cholesky.InverseTo(&inverse); err != nil {
		return nil, fmt.Errorf("rating: %w", err)
	}
	return relative(theta, &inverse, anchor), nil
}

// logLikelihood returns the log likelihood of the results and the prior at theta.
func (r *Results) logLikelihood(theta *mat.VecDense, precision float64) float64 {
	sum := 0.0
	for i := range r.players {
		t := theta.AtVec(i)
		sum -= precision * t * t / 2
		for j := range r.players {
			if w := r.Wins(i, j); w > 0 {
				sum -= w * softplus(theta.AtVec(j)-t)
			}
		}
	}
	return sum
}

// softplus returns log(1+exp(x)) without overflow.
func softplus(x float64) float64 { return max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) }

// derivatives computes the gradient and the negative second derivatives of
// logLikelihood.
func (r *Results) derivatives(theta *mat.VecDense, precision float64, gradient *mat.VecDense, info *mat.SymDense) {
	info.Zero()
	for i := range r.players {
		g, diagonal := -precision*theta.AtVec(i), precision
		for j := range r.players {
			games := r.Games(i, j)
			if games == 0 || i == j {
				continue
			}
			p := 1 / (1 + math.Exp(theta.AtVec(j)-theta.AtVec(i)))
			g += r.Wins(i, j) - games*p
			diagonal += games * p * (1 - p)
			info.SetSym(i, j, -games*p*(1-p))
		}
		gradient.SetVec(i, g)
		info.SetSym(i, i, diagonal)
	}
}

// relative moves the zero of the scale to the anchor and converts it to Elo.
func relative(theta *mat.VecDense, inverse *mat.SymDense, anchor int) *Ratings {
	n := theta.Len()
	// zero(f) is the value of f at the anchor, or its mean over all players.
	zero := func(f func(int) float64) float64 {
		if anchor != Mean {
			return f(anchor)
		}
		sum := 0.0
		for i := range n {
			sum += f(i)
		}
		return sum / float64(n)
	}
	origin := zero(theta.AtVec)
	means := make([]float64, n)
	for i := range n {
		means[i] = zero(func(j int) float64 { return inverse.At(i, j) })
	}
	middle := zero(func(i int) float64 { return means[i] })
	out := &Ratings{make([]float64, n), make([]float64, n*n)}
	for i := range n {
		out.Elo[i] = scale * (theta.AtVec(i) - origin)
		for j := range n {
			out.covariance[i*n+j] = scale * scale * (inverse.At(i, j) - means[i] - means[j] + middle)
		}
	}
	return out
}

func (r *Ratings) cov(i, j int) float64 { return r.covariance[i*len(r.Elo)+j] }

// Margin returns half the width of the 95% interval of player i's rating.
func (r *Ratings) Margin(i int) float64 { return z95 * math.Sqrt(max(0, r.cov(i, i))) }

// Widest returns the largest of the margins.
func (r *Ratings) Widest() float64 {
	widest := 0.0
	for i := range r.Elo {
		widest = max(widest, r.Margin(i))
	}
	return widest
}

// Between returns the rating of i less that of j, and half the width of the 95%
// interval of this difference.
func (r *Ratings) Between(i, j int) (difference, margin float64) {
	return r.Elo[i] - r.Elo[j], z95 * math.Sqrt(max(0, r.variance(i, j)))
}

// variance returns the variance of the difference of two ratings.
func (r *Ratings) variance(i, j int) float64 { return r.cov(i, i) + r.cov(j, j) - 2*r.cov(i, j) }

// Superiority returns the likelihood that i is stronger than j, from 0 to 1, by the
// normal approximation. It is 0.5 for a player and itself.
func (r *Ratings) Superiority(i, j int) float64 {
	v := r.variance(i, j)
	if i == j || v <= 0 {
		return 0.5
	}
	return 0.5 * math.Erfc(-(r.Elo[i]-r.Elo[j])/math.Sqrt(2*v))
}
