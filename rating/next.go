package rating

// Pairing is a pair of players who may play each other.
type Pairing struct {
	A, B int
	Cost float64 // cost of one game, in any unit; above 0
}

// Next chooses pairings one after another. Each is the one whose next games are
// expected to narrow the intervals most for their cost; games is the number of games
// that a pairing plays each time. Only players whose margin is above until, in Elo
// points, matter. The choice ends after count pairings, or when no such player is
// left. The same pairing may be chosen several times. Next returns indices into
// pairings. The argument pending lists the pairings that are already playing.
//
// This is a greedy sequential design of experiments. The games of two players add
// w = games*p*(1-p) to the information along the difference d of their ratings,
// which subtracts w*(C d)(C d)'/(1+w*d'C d) from the covariance C (Sherman and
// Morrison 1950). Next minimizes the sum of those variances that are above the
// target.
func (r *Ratings) Next(pairings, pending []Pairing, games, until float64, count int) []int {
	n := len(r.Elo)
	c := r.covariance()
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

// weight returns the information that games of a pairing are expected to give, in
// 1/Elo². It uses the current ratings and does not average over their uncertainty.
// An average would promise too much where one player has won every game, because
// further wins narrow nothing.
func (r *Ratings) weight(p Pairing, games float64) float64 {
	chance := Chance(r.Elo[p.A] - r.Elo[p.B])
	return games * chance * (1 - chance) / (scale * scale)
}

// learn subtracts from the covariance c what the games of a pairing are expected to
// subtract.
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

// GamesLeft estimates the number of games, chosen by [Ratings.Next], and their total
// cost until every margin is at most until Elo points. The more games are needed, the
// more games it assumes per choice.
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
