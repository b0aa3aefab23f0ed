package rating

import (
	"cmp"
	"math"
	"slices"
)

// GamesLeft estimates the number of games, chosen by [Ratings.Next], and their total
// cost until every margin that games can narrow is at most until Elo points. It
// expects that players as far apart as they are rated now stay so: where Next will
// leave a pairing out, it counts the games until then.
func (r *Ratings) GamesLeft(pairings []Pairing, until float64) (games int, cost float64) {
	var near, far []Pairing
	for _, p := range pairings {
		if math.Abs(r.Elo[p.A]-r.Elo[p.B]) > decidedAt {
			far = append(far, p)
		} else {
			near = append(near, p)
		}
	}
	games, cost = r.narrowing(near, until)
	for _, d := range r.deciding(near, far, until) {
		games += d.games
		cost += d.cost
	}
	return games, cost
}

// narrowing estimates the games of pairings until every margin that they can narrow is
// at most until. The more games are needed, the more it assumes per choice.
func (r *Ratings) narrowing(pairings []Pairing, until float64) (games int, cost float64) {
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

// decision is the games until a pairing is left out.
type decision struct {
	Pairing
	games int
	cost  float64
}

// deciding returns the cheapest games of far pairings after which Next separates the
// groups that the near ones connect.
func (r *Ratings) deciding(near, far []Pairing, until float64) (chosen []decision) {
	var all []decision
	for _, p := range far {
		difference, margin := r.Between(p.A, p.B)
		target := max(math.Abs(difference)-decidedAt, until)
		more := z95 * z95 * (1/(target*target) - 1/(margin*margin)) / r.weight(p, 1)
		if more > 0 {
			games := int(math.Ceil(more))
			all = append(all, decision{p, games, more * p.Cost})
		}
	}
	slices.SortStableFunc(all, func(a, b decision) int { return cmp.Compare(a.cost, b.cost) })
	var meetings []meeting
	for _, p := range near {
		meetings = append(meetings, meeting{a: p.A, b: p.B})
	}
	group := newGroups(meetings, len(r.Elo)).of
	for _, d := range all {
		a, b := group[d.A], group[d.B]
		if a == b {
			continue
		}
		chosen = append(chosen, d)
		for i := range group {
			if group[i] == b {
				group[i] = a
			}
		}
	}
	return chosen
}
