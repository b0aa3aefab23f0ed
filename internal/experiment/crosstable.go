package experiment

import (
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"warren/internal/arena"
	"warren/internal/arena/rating"
)

// Contestant is a variant with its networks, or a reference player.
type Contestant struct {
	Name      string   `json:"name"`
	Reference bool     `json:"reference"`
	Players   []string `json:"players"` // one a seed; the reference player itself

	// On the Elo scale, where the mean of the reference players is 0, or without one the mean of
	// all: the mean over seeds, the weakest seed and the strongest.
	Elo     Estimate  `json:"elo"`
	Elos    []float64 `json:"elos"`       // of Players
	Seeds   bool      `json:"over_seeds"` // whether the interval says anything
	Weakest float64   `json:"weakest"`
	Best    float64   `json:"best"`
}

// CrossTable is everyone against everyone at a moment.
type CrossTable struct {
	At          float64         `json:"at"` // fraction of the budget
	Games       int             `json:"games"`
	Contestants []Contestant    `json:"contestants"`
	Rates       [][]Rate        `json:"rates"` // row against column
	ByReference []ReferenceGain `json:"by_reference"`
	Effects     []Effect        `json:"effects"` // if variants have several changes at once
	Cycles      [][3]string     `json:"cycles"`
	Misfits     []Misfit        `json:"misfits"`
}

// Misfit is a pairing whose win rate the ratings do not predict: what they predict
// is outside the interval.
type Misfit struct {
	Player    string  `json:"player"`
	Opponent  string  `json:"opponent"`
	Rate      Rate    `json:"rate"`
	Predicted float64 `json:"predicted"`
}

// newCrossTable makes the table of the contestants that have played.
func newCrossTable(at float64, everyone []Contestant, games results) (*CrossTable, error) {
	t := &CrossTable{At: at}
	for _, c := range everyone {
		c.Players = slices.DeleteFunc(slices.Clone(c.Players), func(name string) bool { return !games.played(name) })
		if len(c.Players) > 0 {
			t.Contestants = append(t.Contestants, c)
		}
	}
	if len(t.Contestants) == 0 {
		return t, nil
	}
	for _, a := range t.Contestants {
		var row []Rate
		for _, b := range t.Contestants {
			row = append(row, games.between(a, b))
		}
		t.Rates = append(t.Rates, row)
	}
	for i := range t.Rates {
		for j := range i {
			t.Games += t.Rates[i][j].Games
		}
	}
	predicted, err := t.rate(games)
	if err != nil {
		return nil, err
	}
	if err := t.rateByReference(games); err != nil {
		return nil, err
	}
	t.findCycles()
	t.findMisfits(predicted)
	return t, nil
}

func (r results) played(name string) bool {
	for pair := range r {
		if pair[0] == name {
			return true
		}
	}
	return false
}

// between returns the win rate of a against b.
func (r results) between(a, b Contestant) Rate {
	if a.Name == b.Name {
		return Rate{Estimate: Estimate{0.5, 0, 1}}
	}
	counts := make([][]count, len(a.Players))
	for i, x := range a.Players {
		counts[i] = make([]count, len(b.Players))
		for j, y := range b.Players {
			counts[i][j] = r[[2]string{x, y}]
		}
	}
	rate := crossed(counts)
	mine, others := map[int]bool{}, map[int]bool{} // that have met
	for i, row := range counts {
		for j, c := range row {
			if c.games > 0 {
				mine[i], others[j] = true, true
			}
		}
	}
	if !a.Reference && len(mine) < 2 || !b.Reference && len(others) < 2 { // the seed may be a lucky one
		rate.Seeds = false
	}
	return rate
}

// players returns the names of all players, and for each contestant which of them are its own.
func (t *CrossTable) players() (names []string, groups [][]int) {
	for _, c := range t.Contestants {
		var group []int
		for _, name := range c.Players {
			group = append(group, len(names))
			names = append(names, name)
		}
		groups = append(groups, group)
	}
	return names, groups
}

// fit rates all players on one scale, in the order of players, by the games of those pairs
// that count. The mean of the reference players is 0, or without one the mean of all.
func (t *CrossTable) fit(games results, counts func(i, j int) bool) (elos []float64, err error) {
	names, groups := t.players()
	counted := rating.NewResults(len(names))
	for i, a := range names {
		for j, b := range names {
			if i != j && counts(i, j) {
				counted.Add(i, j, float64(games[[2]string{a, b}].wins))
			}
		}
	}
	ratings, err := rating.Fit(counted, rating.Mean)
	if err != nil {
		return nil, err
	}
	var references []float64
	for i, c := range t.Contestants {
		if c.Reference {
			references = append(references, ratings.Elo[groups[i][0]])
		}
	}
	if len(references) > 0 {
		floats.AddConst(-stat.Mean(references, nil), ratings.Elo)
	}
	return ratings.Elo, nil
}

// rate fills in the contestants' ratings by all games. It returns the win rates of
// contestants that the players' ratings predict.
func (t *CrossTable) rate(games results) (predicted [][]float64, err error) {
	elos, err := t.fit(games, func(int, int) bool { return true })
	if err != nil {
		return nil, err
	}
	_, groups := t.players()
	predicted = make([][]float64, len(groups))
	for i, group := range groups {
		c := &t.Contestants[i]
		c.Elos = nil
		for _, player := range group {
			c.Elos = append(c.Elos, elos[player])
		}
		c.Elo, c.Seeds = overSeeds(c.Elos)
		c.Weakest, c.Best = slices.Min(c.Elos), slices.Max(c.Elos)
		for _, other := range groups {
			sum := 0.0
			for _, x := range group {
				for _, y := range other {
					sum += rating.Chance(elos[x] - elos[y])
				}
			}
			predicted[i] = append(predicted[i], sum/float64(len(group)*len(other)))
		}
	}
	return predicted, nil
}

// findCycles looks for three contestants of which each beats the next, with the
// whole interval above one half.
func (t *CrossTable) findCycles() {
	beats := func(i, j int) bool { return t.Rates[i][j].beats() }
	for i := range t.Contestants {
		for j := i + 1; j < len(t.Contestants); j++ {
			for k := i + 1; k < len(t.Contestants); k++ {
				if j != k && beats(i, j) && beats(j, k) && beats(k, i) {
					t.Cycles = append(t.Cycles, [3]string{t.Contestants[i].Name, t.Contestants[j].Name, t.Contestants[k].Name})
				}
			}
		}
	}
}

// findMisfits lists the pairings that the ratings do not predict, each once, from
// the side that does better than predicted.
func (t *CrossTable) findMisfits(predicted [][]float64) {
	for i, a := range t.Contestants {
		for j, b := range t.Contestants {
			if r := t.Rates[i][j]; i != j && r.Games > 0 && r.Low > predicted[i][j] {
				t.Misfits = append(t.Misfits, Misfit{a.Name, b.Name, r, predicted[i][j]})
			}
		}
	}
}

// contestants returns the variants and the reference players.
func (p *Plan) contestants(references []*arena.Entrant) []Contestant {
	var all []Contestant
	for _, v := range p.Variants {
		c := Contestant{Name: v.Name}
		for seed := 1; seed <= p.Seeds; seed++ {
			c.Players = append(c.Players, Run{v.Name, seed}.String())
		}
		all = append(all, c)
	}
	for _, e := range references {
		all = append(all, Contestant{Name: e.Name(), Reference: true, Players: []string{e.Name()}})
	}
	return all
}
