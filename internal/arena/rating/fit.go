package rating

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
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
	Elo    []float64 // rating by player number, in Elo points
	anchor int
	groups *groups
	factor *envelope // of the information about the log odds
	zero   []float64 // deviation of the anchor
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
	elo := f.groups.centered(f.theta)
	zero := 0.0
	if anchor != Mean {
		zero = elo[anchor]
	}
	for i := range elo {
		elo[i] = scale * (elo[i] - zero)
	}
	ratings := &Ratings{Elo: elo, anchor: anchor, groups: f.groups, factor: f.factor}
	ratings.zero = ratings.deviation(anchor)
	return ratings, nil
}

// deviation returns a vector for the rating of player i, or for the mean of all
// players if i is [Mean]. The covariance of two differences of ratings is the product
// of the differences of their vectors. In the place of a group's fixed player it has
// the deviation of the group's mean.
func (r *Ratings) deviation(i int) []float64 {
	g := r.groups
	v := make([]float64, len(r.Elo))
	if i == Mean {
		for k, members := range g.members {
			v[g.fixed[k]] = unconnected * float64(len(members)) / float64(len(v))
		}
		return v
	}
	members := g.members[g.of[i]]
	v[g.place[i]] = scale
	for _, k := range members {
		v[g.place[k]] -= scale / float64(len(members))
	}
	v[g.fixed[g.of[i]]] = 0
	r.factor.forward(v)
	v[g.fixed[g.of[i]]] = unconnected
	return v
}

// Margin returns half the width of the 95% interval of the rating of player i, in
// Elo points.
func (r *Ratings) Margin(i int) float64 {
	if i == r.anchor {
		return 0
	}
	return z95 * floats.Distance(r.deviation(i), r.zero, 2)
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
