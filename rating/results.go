package rating

// Results counts who won how often against whom. Players are numbered from 0.
type Results struct {
	players int
	wins    []float64 // [winner*players + loser]
}

// NewResults returns the results of players who have not played yet.
func NewResults(players int) *Results {
	return &Results{players, make([]float64, players*players)}
}

// Players returns how many players there are.
func (r *Results) Players() int { return r.players }

// Add counts games that winner won against loser, who must be another. Half a
// win for either side stands for a draw.
func (r *Results) Add(winner, loser int, games float64) { r.wins[winner*r.players+loser] += games }

// Wins returns how many games i won against j.
func (r *Results) Wins(i, j int) float64 { return r.wins[i*r.players+j] }

// Games returns how many games i and j played against each other.
func (r *Results) Games(i, j int) float64 { return r.Wins(i, j) + r.Wins(j, i) }
