package experiment

import (
	"gonum.org/v1/gonum/stat"

	"warren/internal/arena/rating"
)

// ReferenceGain is a variant's strength by its games against the reference players alone.
// Networks that come from one another may learn to beat each other and nobody
// else. The games between them do not count here.
type ReferenceGain struct {
	Variant string    `json:"variant"`
	Games   int       `json:"games"`
	Elo     Estimate  `json:"elo"`        // the mean over seeds, where the mean of the reference players is 0
	Elos    []float64 `json:"elos"`       // of the networks that have met the reference players
	Seeds   bool      `json:"over_seeds"` // whether its interval says anything
	Pairs   int       `json:"pairs"`      // seeds that the first variant has too
	Gain    Estimate  `json:"gain"`       // above the first variant, the mean over those seeds
}

// rateByReference fills in ByReference.
func (t *CrossTable) rateByReference(games results) error {
	rated, err := t.referenceRatings(games)
	if err != nil {
		return err
	}
	var first map[string]float64
	for _, c := range t.Contestants {
		if c.Reference {
			continue
		}
		g := ReferenceGain{Variant: c.Name}
		bySeed := map[string]float64{}
		var gains []float64
		for _, name := range c.Players {
			r, ok := rated[name]
			if !ok {
				continue
			}
			seed := name[len(c.Name):]
			bySeed[seed] = r.elo
			g.Games += r.games
			g.Elos = append(g.Elos, r.elo)
			if base, ok := first[seed]; ok {
				gains = append(gains, r.elo-base)
			}
		}
		if first == nil {
			first = bySeed
		}
		if len(g.Elos) == 0 {
			continue
		}
		g.Elo, g.Seeds = overSeeds(g.Elos)
		if g.Pairs = len(gains); g.Pairs > 0 {
			g.Gain, _ = overSeeds(gains)
		}
		t.ByReference = append(t.ByReference, g)
	}
	return nil
}

// rated is a network's rating and the number of games that it comes from.
type rated struct {
	elo   float64
	games int
}

// referenceRatings rates the networks that have met the reference players, by name, by the games
// with a reference player in them.
func (t *CrossTable) referenceRatings(games results) (map[string]rated, error) {
	names, groups := t.players()
	references := map[int]bool{}
	for i, c := range t.Contestants {
		if c.Reference {
			references[groups[i][0]] = true
		}
	}
	if len(references) == 0 {
		return nil, nil
	}
	counted := rating.NewResults(len(names))
	met := make([]int, len(names))
	for i, a := range names {
		for j, b := range names {
			if c := games[[2]string{a, b}]; references[i] || references[j] {
				counted.Add(i, j, float64(c.wins))
				met[i] += c.games
			}
		}
	}
	fit, err := rating.Fit(counted, rating.Mean)
	if err != nil {
		return nil, err
	}
	var elos []float64
	for i := range references {
		elos = append(elos, fit.Elo[i])
	}
	zero := stat.Mean(elos, nil)
	all := map[string]rated{}
	for i, name := range names {
		if !references[i] && met[i] > 0 {
			all[name] = rated{fit.Elo[i] - zero, met[i]}
		}
	}
	return all, nil
}
