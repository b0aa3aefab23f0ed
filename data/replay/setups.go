package replay

import (
	"math"

	"warren/data"
	"warren/game"
)

// Setups are learned from what they led to, by linear regression: the value of a game's first turns on where both sides had
// put their pieces. Values of unfinished setups say little, and a game has one setup for each side among
// hundreds of positions, so neither a search nor the outcomes of the samples of a minibatch teach them. The
// regression has every game of the window, and 48 numbers to find.

const (
	setupSquares = game.Placements / 2 // of a side
	// A piece on a square and on its mirror image, left to right, are worth the same.
	setupClasses = setupSquares / 2
	setupTerms   = game.NumKinds*setupClasses + 1 // the last is a constant: what it is worth to be Gold
	// setupTurns is how many turns, of both players together, say what a setup has led to. The values of later turns know
	// more of it, and more of all else that has happened.
	setupTurns = 16
	// setupPrior is added to each term's sum of squares, so that a few games change little. A game with random setups adds
	// 0.22 (an elephant) to 0.93 (rabbits) on average.
	setupPrior = 100
	// setupScale is the factor of a setup's chance to win in the logarithm of its share. A tenth of it is
	// how many more nats a setup has for 10% more wins.
	setupScale = 160
	// setupUnit is the unit of chances in sums, which are whole numbers so that games can leave them without a trace.
	setupUnit = 1.0 / (1 << 20)
)

// unknownChance is the chance of a setup that the regression leaves out.
const unknownChance = math.MinInt32

// setupChance returns Gold's chance less one half after the setups of a game, in setupUnit: the mean of the root values
// of its first turns. It is unknownChance if none was searched, and after a random opening.
func setupChance(r *data.Record) int32 {
	if r.Opening != 0 {
		return unknownChance
	}
	var g game.Game
	sum, n := 0.0, 0
	for i := range r.Decisions {
		d := &r.Decisions[i]
		if !g.InSetup() && d.Searched() {
			v := float64(d.Value)
			if g.Side() == game.Silver {
				v = 1 - v
			}
			sum += v
			n++
		}
		if g.Play(d.Action); g.Turns() >= setupTurns {
			break
		}
	}
	if n == 0 {
		return unknownChance
	}
	return int32(math.Round((sum/float64(n) - 0.5) / setupUnit))
}

// setupClass returns the class of a side's square, in the order in which the rules fill them.
func setupClass(square int) int {
	file := square % 8
	return square/8*4 + min(file, 7-file)
}

// setupSums are the sums of the regression over games.
type setupSums struct {
	squares [setupTerms][setupTerms]int64 // of products of two terms
	chances [setupTerms]int64             // of products of a term and the chance, in setupUnit
}

// add adds a game times n, which is 1, or -1 for a game that leaves. Its terms are Gold's pieces less Silver's.
func (s *setupSums) add(p *packed, n int64) {
	if p.setup == unknownChance {
		return
	}
	var terms [setupTerms]int64
	terms[setupTerms-1] = 1
	for i, a := range p.actions[:game.Placements] {
		term := int(a.Kind())*setupClasses + setupClass(i%setupSquares)
		if i < setupSquares {
			terms[term]++
		} else {
			terms[term]--
		}
	}
	for i, t := range terms {
		if t == 0 {
			continue
		}
		for j, u := range terms {
			s.squares[i][j] += n * t * u
		}
		s.chances[i] += n * t * int64(p.setup)
	}
}

// worth returns what pieces on squares add to their side's chance to win: the ridge regression of the sums.
func (s *setupSums) worth() (worth [game.NumKinds][setupClasses]float64) {
	// The matrix is positive definite, so elimination needs no pivots.
	var m [setupTerms][setupTerms + 1]float64
	for i := range m {
		for j, sum := range s.squares[i] {
			m[i][j] = float64(sum)
		}
		m[i][i] += setupPrior
		m[i][setupTerms] = float64(s.chances[i]) * setupUnit
	}
	for c := range m {
		for r := range m {
			if f := m[r][c] / m[c][c]; r != c && f != 0 {
				for j := c; j <= setupTerms; j++ {
					m[r][j] -= f * m[c][j]
				}
			}
		}
	}
	for i := range setupTerms - 1 {
		worth[i/setupClasses][i%setupClasses] = m[i][setupTerms] / m[i][i]
	}
	return worth
}

// setupPolicy is the distribution of setups whose shares are proportional to exp(setupScale * worth), with the worth of all
// pieces of the setup. It is computed exactly: the next placement depends only on how many pieces of each kind are
// left, for which there are 972 cases.
type setupPolicy struct {
	shares [game.NumKinds][setupClasses]float64 // logarithms, of a piece on a square
	rest   []float64                            // logarithm of the sum over all ways to place the pieces that are left
}

// newSetupPolicy returns the policy by what pieces on squares are worth.
func newSetupPolicy(worth [game.NumKinds][setupClasses]float64) *setupPolicy {
	p := &setupPolicy{rest: []float64{0}}
	for k := range worth {
		for c, w := range worth[k] {
			p.shares[k][c] = setupScale * w
		}
	}
	// In ascending order of index, each case needs only those before.
	for i := 1; i < setupStride(game.NumKinds); i++ {
		var left [game.NumKinds]int
		for k := range left {
			left[k] = i / setupStride(k) % (game.SetupCount(game.Kind(k)) + 1)
		}
		var shares [game.NumKinds]float64
		p.rest = append(p.rest, p.next(&left, &shares))
	}
	return p
}

// setupStride returns the distance of two indices of setupPolicy.rest that differ by a piece of a kind.
func setupStride(kind int) int {
	stride := 1
	for k := range kind {
		stride *= game.SetupCount(game.Kind(k)) + 1
	}
	return stride
}

// next sets shares to those of the kinds for the next square, where the given numbers of pieces are left. It returns the
// logarithm of the sum of the shares before they are scaled to sum to 1.
func (p *setupPolicy) next(left *[game.NumKinds]int, shares *[game.NumKinds]float64) float64 {
	pieces, index := 0, 0
	for k, n := range left {
		pieces += n
		index += n * setupStride(k)
	}
	class := setupClass(setupSquares - pieces)
	most := math.Inf(-1)
	for k, n := range left {
		if shares[k] = math.Inf(-1); n > 0 {
			shares[k] = p.shares[k][class] + p.rest[index-setupStride(k)]
			most = max(most, shares[k])
		}
	}
	sum := 0.0
	for k := range shares {
		shares[k] = math.Exp(shares[k] - most)
		sum += shares[k]
	}
	for k := range shares {
		shares[k] /= sum
	}
	return most + math.Log(sum)
}

// target appends the policy target of the next placement in g to buf.
func (p *setupPolicy) target(g *game.Game, buf []data.Share) []data.Share {
	var left [game.NumKinds]int
	for k := range left {
		left[k] = g.SetupLeft(game.Kind(k))
	}
	var shares [game.NumKinds]float64
	p.next(&left, &shares)
	for k, share := range shares {
		if share := float32(share); share > 0 {
			buf = append(buf, data.Share{Action: game.PlaceAction(game.Kind(k)), Share: share})
		}
	}
	return buf
}
