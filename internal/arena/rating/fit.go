package rating

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// Mean, given to [Fit] instead of a player's number, puts the zero of the scale at
// the mean rating of all players.
const Mean = -1

// unconnected is the standard deviation, in Elo points, of what is known about the
// mean rating of players whom no game connects with the rest, directly or through
// others.
const unconnected = 1500

// z95 is half the width of a 95% interval of the normal distribution, in standard
// deviations.
const z95 = 1.959963984540054

// Ratings are the strengths of players on the Elo scale, relative to an anchor
// whose rating is 0. The interval of a rating is the interval of its distance from
// the anchor.
type Ratings struct {
	Elo        []float64 // rating by player number, in Elo points
	anchor     int
	covariance *mat.Dense // in Elo², of the distances from the anchor
}

// Fit returns ratings under the model of Bradley and Terry (1952; Zermelo 1929). The
// anchor is the number of a player or [Mean].
//
// The ratings maximize the likelihood times Jeffreys's prior, which is the square
// root of the determinant of the Fisher information. This is the estimate of Firth
// (1993): unlike the likeliest ratings, it does not exaggerate differences on
// average, to first order in the number of games, and it is finite even for a player
// who won or lost every game (Kosmidis and Firth 2021). The prior amounts to a
// fraction of a drawn game between every two players who have met: the part of what
// is known about their difference that comes from their own games. The fractions of
// all pairs add up to the number of players less one, so on a ladder each rung has a
// drawn game, however long the ladder is. The covariance is the inverse of the Fisher
// information of the games at the maximum.
//
// Players whom no game connects, directly or through others, are in different groups.
// The mean of each group is 0, with the standard deviation unconnected.
//
// Fit returns an error if there are no players, if anchor is out of range, or if the
// iteration does not converge.
func Fit(r *Results, anchor int) (*Ratings, error) {
	n := len(r.scores)
	if n == 0 {
		return nil, errors.New("rating: no players")
	}
	if anchor != Mean && (anchor < 0 || anchor >= n) {
		return nil, fmt.Errorf("rating: the anchor is player %d of %d", anchor, n)
	}
	f := newFitting(r)
	if err := f.maximize(); err != nil {
		return nil, err
	}
	elo, zero := make([]float64, n), 0.0
	if anchor != Mean {
		zero = f.theta[anchor]
	}
	for i, theta := range f.theta {
		elo[i] = scale * (theta - zero)
	}
	ratings := &Ratings{elo, anchor, mat.DenseCopyOf(&f.covariance)}
	ratings.covariance.Scale(scale*scale, ratings.covariance)
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	measure(ratings.covariance, all, anchor)
	return ratings, nil
}

// measure changes the covariance of ratings to that of ratings from which, for the given
// players, the rating of the anchor is subtracted, or their mean if anchor is [Mean].
func measure(covariance *mat.Dense, players []int, anchor int) {
	n, _ := covariance.Dims()
	measured, zero := mat.NewVecDense(n, nil), mat.NewVecDense(n, nil)
	for _, i := range players {
		measured.SetVec(i, 1)
	}
	if anchor == Mean {
		zero.ScaleVec(1/float64(len(players)), measured)
	} else {
		zero.SetVec(anchor, 1)
	}
	var with mat.VecDense // the covariance of each player with zero
	with.MulVec(covariance, zero)
	covariance.RankOne(covariance, -1, &with, measured)
	covariance.RankOne(covariance, -1, measured, &with)
	covariance.RankOne(covariance, mat.Dot(zero, &with), measured, measured)
}

// deviation returns the standard deviation of the rating of i minus the rating of j.
func (r *Ratings) deviation(i, j int) float64 {
	c := r.covariance
	return math.Sqrt(c.At(i, i) + c.At(j, j) - 2*c.At(i, j))
}

// Margin returns half the width of the 95% interval of the rating of player i, in
// Elo points.
func (r *Ratings) Margin(i int) float64 {
	return z95 * math.Sqrt(r.covariance.At(i, i))
}

// Between returns the rating of i minus the rating of j, and half the width of the
// 95% interval of this difference.
func (r *Ratings) Between(i, j int) (difference, margin float64) {
	return r.Elo[i] - r.Elo[j], z95 * r.deviation(i, j)
}

// Superiority returns the probability, 0 to 1, that i is stronger than j, in the
// normal approximation. It is 0.5 if i equals j.
func (r *Ratings) Superiority(i, j int) float64 {
	sd := r.deviation(i, j)
	if i == j || sd == 0 {
		return 0.5
	}
	return 0.5 * math.Erfc(-(r.Elo[i]-r.Elo[j])/(math.Sqrt2*sd))
}
