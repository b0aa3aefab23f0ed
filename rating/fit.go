package rating

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// PriorSD is the standard deviation, in Elo points, of the prior: before the first
// game, every rating is assumed to be normally distributed around the mean. The
// prior gives a finite rating to players who won or lost every game. It has little
// weight compared with real games: for a player 1500 points from the mean it counts
// as much as a tenth of a win.
const PriorSD = 1500

// Mean, given to [Fit] instead of a player's number, puts the zero of the scale at
// the mean rating of all players.
const Mean = -1

// z95 is half the width of a 95% interval of the normal distribution, in standard
// deviations.
const z95 = 1.959963984540054

// Ratings are the strengths of players on the Elo scale, relative to an anchor
// whose rating is 0. The interval of a rating is the interval of its distance from
// the anchor.
type Ratings struct {
	Elo []float64 // rating by player number, in Elo points
	// covariance is the covariance matrix of Elo, in squared Elo points. If the
	// anchor is a player, its row and column are 0.
	covariance []float64
}

// Fit returns the ratings with the highest posterior probability under the model of
// Bradley and Terry (1952; Zermelo 1929) and the prior that [PriorSD] describes. The
// anchor is the number of a player or [Mean]. The covariance is the inverse of the
// Fisher information at the maximum, including the information of the prior.
//
// The logarithm of the posterior is concave, and Fit maximizes it by Newton's
// method. Fit returns an error if there are no players, if anchor is out of range,
// or if the iteration does not converge.
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
		// A step from far away can overshoot. Halve it until the point is no worse.
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

// logLikelihood returns the logarithm of the likelihood of the results times the
// prior at theta, up to a constant.
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

// derivatives sets gradient to the gradient of logLikelihood and info to its negative
// second derivatives.
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

// relative moves the zero of the scale to the anchor and converts log odds to Elo
// points.
func relative(theta *mat.VecDense, inverse *mat.SymDense, anchor int) *Ratings {
	n := theta.Len()
	// zero returns the value of f at the anchor, or its mean over all players.
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

// Margin returns half the width of the 95% interval of the rating of player i, in
// Elo points.
func (r *Ratings) Margin(i int) float64 { return z95 * math.Sqrt(max(0, r.cov(i, i))) }

// Widest returns the largest margin of any player.
func (r *Ratings) Widest() float64 {
	widest := 0.0
	for i := range r.Elo {
		widest = max(widest, r.Margin(i))
	}
	return widest
}

// Between returns the rating of i minus the rating of j, and half the width of the
// 95% interval of this difference.
func (r *Ratings) Between(i, j int) (difference, margin float64) {
	return r.Elo[i] - r.Elo[j], z95 * math.Sqrt(max(0, r.variance(i, j)))
}

// variance returns the variance of the difference of two ratings.
func (r *Ratings) variance(i, j int) float64 { return r.cov(i, i) + r.cov(j, j) - 2*r.cov(i, j) }

// Superiority returns the probability, 0 to 1, that i is stronger than j, in the
// normal approximation. It is 0.5 if i equals j.
func (r *Ratings) Superiority(i, j int) float64 {
	v := r.variance(i, j)
	if i == j || v <= 0 {
		return 0.5
	}
	return 0.5 * math.Erfc(-(r.Elo[i]-r.Elo[j])/math.Sqrt(2*v))
}
