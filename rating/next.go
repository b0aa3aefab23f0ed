package rating

import "slices"

// Pairing is two players who may play each other.
type Pairing struct {
	A, B int
	Cost float64 // of one game, in any unit, above 0
}

// Next chooses pairings, one after another. Each is the one that is expected to
// narrow the intervals most for its cost if its players play that many more games.
// Only players whose margin is above until, in Elo, are considered. Next returns
// the indices of at most count pairings, which may repeat, and fewer if every
// margin has become narrow enough. Pending are pairings that are playing that many
// games already.
//
// The method is sequential design of experiments, one step at a time. Games of two
// players add w = games*p*(1-p) to the information along the difference d of their
// ratings, which reduces the covariance C by w*(C d)(C d)'/(1+w*d'C d) (Sherman and
// Morrison 1950). The sum of the variances above the target is to become small.
func (r *Ratings) Next(pairings, pending []Pairing, games, until float64, count int) []int {
	n := len(r.Elo)
	c := slices.Clone(r.covariance)
	target := (until / z95) * (until / z95)
	for _, p := range pending {
		r.learn(c, p, games)
	}
	var chosen []int
	for len(chosen) < count {
		best, most := -1, 0.0
		for k, p := range pairings {
			spread := c[p.A*n+p.A] + c[p.B*n+p.B] - 2*c[p.A*n+p.B]
			w := r.weight(p, games)
			gain := 0.0
			for i := range n {
				if c[i*n+i] <= target {
					continue
				}
				along := c[i*n+p.A] - c[i*n+p.B]
				gain += along * along
			}
			if gain *= w / (1 + w*spread) / p.Cost; gain > most {
				best, most = k, gain
			}
		}
		if best < 0 {
			break
		}
		chosen = append(chosen, best)
		r.learn(c, pairings[best], games)
	}
	return chosen
}

// weight returns the information expected from games of a pairing, in 1/Elo². It
// takes the present ratings as exact. Averaging over their uncertainty would expect
// too much of two players of whom one has won every game: further wins narrow
// nothing.
func (r *Ratings) weight(p Pairing, games float64) float64 {
	chance := Chance(r.Elo[p.A] - r.Elo[p.B])
	return games * chance * (1 - chance) / (scale * scale)
}

// learn reduces the covariance c by what games of a pairing are expected to tell.
func (r *Ratings) learn(c []float64, p Pairing, games float64) {
	n := len(r.Elo)
	along := make([]float64, n)
	for i := range n {
		along[i] = c[i*n+p.A] - c[i*n+p.B]
	}
	spread := along[p.A] - along[p.B]
	w := r.weight(p, games)
	factor := w / (1 + w*spread)
	for i := range n {
		for j := range n {
			c[i*n+j] -= factor * along[i] * along[j]
		}
	}
}

// GamesLeft estimates how many games Next will choose, and at what cost, until every
// margin is at most until. The more games there are, the longer the strides of the
// estimate.
func (r *Ratings) GamesLeft(pairings []Pairing, until float64) (games int, cost float64) {
	const strides, longest = 256, 1 << 12
	for stride := 2; ; stride *= 4 {
		games, cost = 0, 0
		chosen := r.Next(pairings, nil, float64(stride), until, strides)
		for _, k := range chosen {
			games += stride
			cost += float64(stride) * pairings[k].Cost
		}
		if len(chosen) < strides || stride >= longest {
			return games, cost
		}
	}
}
