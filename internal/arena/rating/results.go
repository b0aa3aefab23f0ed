package rating

import "slices"

// Results counts the wins of each player against each other player. Players are
// numbered from 0. Its size is proportional to the number of pairs that have met.
type Results struct {
	scores [][]score // by player: a score against each opponent
}

// score is the games of a player against one opponent.
type score struct {
	opponent     int
	wins, losses float64
}

// NewResults returns empty results for the given number of players.
func NewResults(players int) *Results {
	return &Results{make([][]score, players)}
}

// Add adds games that winner won against loser, who must be a different player. A
// draw counts as half a win for each side.
func (r *Results) Add(winner, loser int, games float64) {
	r.against(winner, loser).wins += games
	r.against(loser, winner).losses += games
}

// against returns the score of player i against player j. It adds one if they have
// not met.
func (r *Results) against(i, j int) *score {
	k := slices.IndexFunc(r.scores[i], func(s score) bool { return s.opponent == j })
	if k < 0 {
		k = len(r.scores[i])
		r.scores[i] = append(r.scores[i], score{opponent: j})
	}
	return &r.scores[i][k]
}
