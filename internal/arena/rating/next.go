package rating

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
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
	covariance *mat.Dense // of the distances from the anchor, or from the mean of groups without it
}

// look returns the outlook for games of pairings.
//
// Games of a pairing can tell nothing more if, at the lower end of the interval of
// the difference, one player wins nearly always. If the estimate is right, a game then
// brings almost no information, and if one player has won every game, further wins
// hardly narrow the interval at all.
func (r *Ratings) look(pairings []Pairing) *outlook {
	o := &outlook{ratings: r, covariance: mat.DenseCopyOf(r.covariance)}
	var meetings []meeting
	for k, p := range pairings {
		difference, margin := r.Between(p.A, p.B)
		if math.Abs(difference)-margin <= decidedAt {
			o.open = append(o.open, k)
			meetings = append(meetings, meeting{a: p.A, b: p.B})
		}
	}
	o.groups = newGroups(meetings, len(r.Elo))
	for _, group := range o.groups.members {
		if !slices.Contains(group, r.anchor) {
			measure(o.covariance, group, Mean)
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
		widest = max(widest, o.covariance.At(i, i))
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
			a, b := c.RawRowView(p.A), c.RawRowView(p.B)
			spread := a[p.A] + b[p.B] - 2*a[p.B]
			w := r.weight(p, games)
			gain := 0.0
			for i := range r.Elo {
				if c.At(i, i) <= target || o.groups.of[i] != o.groups.of[p.A] {
					continue
				}
				along := a[i] - b[i]
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
	c := o.covariance
	var along mat.VecDense
	along.SubVec(c.RowView(p.A), c.RowView(p.B))
	w, spread := o.ratings.weight(p, games), along.AtVec(p.A)-along.AtVec(p.B)
	c.RankOne(c, -w/(1+w*spread), &along, &along)
}
