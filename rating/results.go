package rating

// Results counts the wins of every player against every other. Players are numbered
// from 0.
type Results struct {
	players int
	wins    []float64 // [winner*players + loser]
}

// NewResults returns the results of players before their first game.
func NewResults(players int) *Results {
	return &Results{players, make([]float64, players*players)}
}

// Players returns the number of players.
func (r *Results) Players() int { return r.players }

// Add counts games that winner won against loser, a different player. A draw is half
// a win for each.
func (r *Results) Add(winner, loser int, games float64) { r.wins[winner*r.players+loser] += games }

// Wins returns the number of games that i won against j.
func (r *Results) Wins(i, j int) float64 { return r.wins[i*r.players+j] }

// Games returns the number of games between i and j.
func (r *Results) Games(i, j int) float64 { return r.Wins(i, j) + r.Wins(j, i) }
