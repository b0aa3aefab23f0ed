package rating

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
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
	Elo    []float64 // rating by player number, in Elo points
	anchor int
	order  []int     // place of each player in the information matrix
	factor *envelope // of the information about the log odds
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
	n := r.Players()
	if n == 0 {
		return nil, errors.New("rating: no players")
	}
	if anchor != Mean && (anchor < 0 || anchor >= n) {
		return nil, fmt.Errorf("rating: the anchor is player %d of %d", anchor, n)
	}
	const precision = scale * scale / (PriorSD * PriorSD)
	var (
		theta  = make([]float64, n) // log odds
		step   = make([]float64, n)
		trial  = make([]float64, n)
		order  = r.order()
		info   = newEnvelope(r.firsts(order))
		placed = make([]float64, n) // the gradient, then the step, by place
	)
	now := r.logLikelihood(theta, precision)
	for iteration := 0; ; iteration++ {
		r.derivatives(theta, precision, order, placed, info)
		if !info.factorize() {
			return nil, errors.New("rating: the information is not positive definite")
		}
		info.forward(placed)
		info.backward(placed)
		for i := range step {
			step[i] = placed[order[i]]
		}
		// A step from far away can overshoot. Halve it until the point is no worse.
		length := 1.0
		for ; length > 1e-9; length /= 2 {
			floats.AddScaledTo(trial, theta, length, step)
			if after := r.logLikelihood(trial, precision); after >= now {
				theta, trial = trial, theta
				now = after
				break
			}
		}
		if length*floats.Norm(step, math.Inf(1)) < 1e-9 || length <= 1e-9 {
			break
		}
		if iteration == 200 {
			return nil, errors.New("rating: the maximum was not found in 200 iterations")
		}
	}
	zero := floats.Sum(theta) / float64(n)
	if anchor != Mean {
		zero = theta[anchor]
	}
	for i := range theta {
		theta[i] = scale * (theta[i] - zero)
	}
	return &Ratings{theta, anchor, order, info}, nil
}

// order returns a place for each player. Those who have met many others come last,
// which keeps the envelope small: on the ladder of a run each network has met the
// one before it and the same few baselines.
func (r *Results) order() []int {
	many := int(2 * math.Sqrt(float64(r.Players())))
	place := make([]int, r.Players())
	next := 0
	for _, last := range []bool{false, true} {
		for i, scores := range r.scores {
			if (len(scores) > many) == last {
				place[i] = next
				next++
			}
		}
	}
	return place
}

// firsts returns, for each place, the first place of an opponent, or its own if
// that is earlier.
func (r *Results) firsts(order []int) []int {
	first := make([]int, len(order))
	for i, scores := range r.scores {
		first[order[i]] = order[i]
		for _, s := range scores {
			first[order[i]] = min(first[order[i]], order[s.opponent])
		}
	}
	return first
}

// logLikelihood returns the logarithm of the likelihood of the results times the
// prior at theta, up to a constant.
func (r *Results) logLikelihood(theta []float64, precision float64) float64 {
	sum := 0.0
	for i, scores := range r.scores {
		sum -= precision * theta[i] * theta[i] / 2
		for _, s := range scores {
			if s.wins > 0 {
				sum -= s.wins * softplus(theta[s.opponent]-theta[i])
			}
		}
	}
	return sum
}

// softplus returns log(1+exp(x)) without overflow.
func softplus(x float64) float64 { return max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) }

// derivatives sets gradient to the gradient of logLikelihood and info to its negative
// second derivatives, both by the places that order gives to the players.
func (r *Results) derivatives(theta []float64, precision float64, order []int, gradient []float64, info *envelope) {
	for _, row := range info.rows {
		clear(row)
	}
	for i, scores := range r.scores {
		g, diagonal := -precision*theta[i], precision
		for _, s := range scores {
			games := s.wins + s.losses
			p := 1 / (1 + math.Exp(theta[s.opponent]-theta[i]))
			g += s.wins - games*p
			diagonal += games * p * (1 - p)
			if order[s.opponent] < order[i] {
				info.set(order[i], order[s.opponent], -games*p*(1-p))
			}
		}
		gradient[order[i]] = g
		info.set(order[i], order[i], diagonal)
	}
}

// deviation returns a vector for the rating of player i, or of the anchor if i is
// [Mean] or the anchor. The covariance of two differences of ratings is the product
// of the differences of their vectors.
func (r *Ratings) deviation(i int) []float64 {
	v := make([]float64, len(r.Elo))
	if i == Mean {
		for k := range v {
			v[k] = scale / float64(len(v))
		}
	} else {
		v[r.order[i]] = scale
	}
	r.factor.forward(v)
	return v
}

// Margin returns half the width of the 95% interval of the rating of player i, in
// Elo points.
func (r *Ratings) Margin(i int) float64 {
	if i == r.anchor {
		return 0
	}
	return z95 * floats.Distance(r.deviation(i), r.deviation(r.anchor), 2)
}

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
	return r.Elo[i] - r.Elo[j], z95 * floats.Distance(r.deviation(i), r.deviation(j), 2)
}

// Superiority returns the probability, 0 to 1, that i is stronger than j, in the
// normal approximation. It is 0.5 if i equals j.
func (r *Ratings) Superiority(i, j int) float64 {
	sd := floats.Distance(r.deviation(i), r.deviation(j), 2)
	if i == j || sd == 0 {
		return 0.5
	}
	return 0.5 * math.Erfc(-(r.Elo[i]-r.Elo[j])/(math.Sqrt2*sd))
}

// covariance returns the covariance matrix of Elo, in squared Elo points. If the
// anchor is a player, its row and column are 0.
func (r *Ratings) covariance() []float64 {
	n := len(r.Elo)
	zero := r.deviation(r.anchor)
	deviations := make([][]float64, n)
	for i := range deviations {
		deviations[i] = r.deviation(i)
		floats.Sub(deviations[i], zero)
	}
	c := make([]float64, n*n)
	for i := range n {
		for j := range n {
			c[i*n+j] = floats.Dot(deviations[i], deviations[j])
		}
	}
	return c
}
