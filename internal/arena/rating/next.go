package rating

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// Pairing is a pair of players who may play each other.
type Pairing struct {
	A, B int
	Cost float64 // cost of one game, in any unit; above 0
}

// decidedAt is the difference in rating from which games of two players hardly narrow
// anything: the weaker player wins fewer than one game in fifty.
var decidedAt = Difference(0.98)

// outlook is what games can still tell about the ratings.
type outlook struct {
	ratings    *Ratings
	open       []int // indices of the pairings whose games can tell something
	groups     *groups
	covariance []float64 // of the distances from the anchor, or from the mean of groups without it
}

// look returns the outlook for games of pairings.
//
// Games of a pairing can tell nothing more if, at the lower end of the interval of
// the difference, one player wins nearly always. If the estimate is right, a game then
// brings almost no information, and if one player has won every game, further wins
// hardly narrow the interval at all.
func (r *Ratings) look(pairings []Pairing) *outlook {
	n := len(r.Elo)
	o := &outlook{ratings: r, covariance: make([]float64, n*n)}
	deviations, place := make([][]float64, n), make([]int, n)
	for i := range n {
		deviations[i], place[i] = r.deviation(i), i
	}
	var meetings []meeting
	for k, p := range pairings {
		margin := z95 * floats.Distance(deviations[p.A], deviations[p.B], 2)
		if math.Abs(r.Elo[p.A]-r.Elo[p.B])-margin <= decidedAt {
			o.open = append(o.open, k)
			meetings = append(meetings, meeting{a: p.A, b: p.B})
		}
	}
	o.groups = newGroups(meetings, place)
	for _, group := range o.groups.members {
		zero := make([]float64, n)
		for _, i := range group {
			floats.AddScaled(zero, 1/float64(len(group)), deviations[i])
		}
		if slices.Contains(group, r.anchor) {
			zero = r.zero
		}
		for _, i := range group {
			floats.Sub(deviations[i], zero)
		}
	}
	for i := range n {
		for j := range n {
			o.covariance[i*n+j] = floats.Dot(deviations[i], deviations[j])
		}
	}
	return o
}

// Apart returns the players in groups, the strongest group first. Games of pairings
// can narrow what is known about the ratings within a group. They cannot narrow the
// distance between groups, because no pairing connects them, or only pairings in which
// one player wins nearly every game.
func (r *Ratings) Apart(pairings []Pairing) [][]int {
	apart := r.look(pairings).groups.members
	best := func(group []int) float64 {
		best := math.Inf(-1)
		for _, i := range group {
			best = max(best, r.Elo[i])
		}
		return best
	}
	slices.SortStableFunc(apart, func(a, b []int) int { return cmp.Compare(best(b), best(a)) })
	return apart
}

// Reducible returns the largest margin that games of pairings can still narrow: that
// of a player's distance from the anchor, or from the mean of its group if [Ratings.Apart]
// separates it from the anchor.
func (r *Ratings) Reducible(pairings []Pairing) float64 {
	o, widest := r.look(pairings), 0.0
	for i := range r.Elo {
		widest = max(widest, o.covariance[i*len(r.Elo)+i])
	}
	return z95 * math.Sqrt(widest)
}

// Next chooses pairings one after another. Each is the one whose next games are
// expected to narrow the intervals most for their cost; games is the number of games
// that a pairing plays each time. Only players whose margin is above until, in Elo
// points, matter; margins are those of [Ratings.Reducible]. The choice ends after
// count pairings, or when no such player is left. The same pairing may be chosen
// several times. Next returns indices into pairings. The argument pending lists the
// pairings that are already playing.
//
// This is a greedy sequential design of experiments. The games of two players add
// w = games*p*(1-p) to the information along the difference d of their ratings,
// which subtracts w*(C d)(C d)'/(1+w*d'C d) from the covariance C (Sherman and
// Morrison 1950). Next minimizes the sum of those variances that are above the
// target.
func (r *Ratings) Next(pairings, pending []Pairing, games, until float64, count int) []int {
	n := len(r.Elo)
	o := r.look(pairings)
	c := o.covariance
	target := (until / z95) * (until / z95)
	for _, p := range pending {
		if o.groups.of[p.A] == o.groups.of[p.B] {
			o.learn(p, games)
		}
	}
	var chosen []int
	for len(chosen) < count {
		best, most := -1, 0.0
		for _, k := range o.open {
			p := pairings[k]
			spread := c[p.A*n+p.A] + c[p.B*n+p.B] - 2*c[p.A*n+p.B]
			w := r.weight(p, games)
			gain := 0.0
			for i := range n {
				if c[i*n+i] <= target || o.groups.of[i] != o.groups.of[p.A] {
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
		o.learn(pairings[best], games)
	}
	return chosen
}

// weight returns the information that games of a pairing are expected to give, in
// 1/Elo². It uses the current ratings and does not average over their uncertainty.
// An average would promise too much where one player has won every game, because
// further wins narrow nothing.
func (r *Ratings) weight(p Pairing, games float64) float64 {
	chance := Chance(r.Elo[p.A] - r.Elo[p.B])
	return games * chance * (1 - chance) / (scale * scale)
}

// learn subtracts from the covariance what the games of a pairing, whose players are
// in one group, are expected to subtract.
func (o *outlook) learn(p Pairing, games float64) {
	c, n := o.covariance, len(o.ratings.Elo)
	along := make([]float64, n)
	for i := range n {
		along[i] = c[i*n+p.A] - c[i*n+p.B]
	}
	spread := along[p.A] - along[p.B]
	w := o.ratings.weight(p, games)
	factor := w / (1 + w*spread)
	for i := range n {
		for j := range n {
			c[i*n+j] -= factor * along[i] * along[j]
		}
	}
}
