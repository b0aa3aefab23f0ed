package experiment

import "slices"

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

// rateByReference fills in ByReference. Networks that have not met a reference player are left out.
func (t *CrossTable) rateByReference(games results) error {
	names, groups := t.players()
	reference := make([]bool, len(names))
	for i, c := range t.Contestants {
		if c.Reference {
			reference[groups[i][0]] = true
		}
	}
	if !slices.Contains(reference, true) {
		return nil
	}
	elos, err := t.fit(games, func(i, j int) bool { return reference[i] || reference[j] })
	if err != nil {
		return err
	}
	var first map[string]float64
	for i, c := range t.Contestants {
		if c.Reference {
			continue
		}
		g := ReferenceGain{Variant: c.Name}
		bySeed := map[string]float64{}
		var gains []float64
		for _, player := range groups[i] {
			met := 0
			for j, opponent := range names {
				if reference[j] {
					met += games[[2]string{names[player], opponent}].games
				}
			}
			if met == 0 {
				continue
			}
			elo, seed := elos[player], names[player][len(c.Name):]
			bySeed[seed] = elo
			g.Games += met
			g.Elos = append(g.Elos, elo)
			if base, ok := first[seed]; ok {
				gains = append(gains, elo-base)
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
