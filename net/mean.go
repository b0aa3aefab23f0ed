package net

import "fmt"

// Mean returns a network in which every weight is the mean of that weight in the given networks, at
// least one. It is meant for networks that began with the same weights and were then trained
// separately: their mean can play better than each of them (Wortsman et al. 2022, "Model soups";
// docs/research/optimisation.md#mean). The mean of unrelated networks plays badly. If a network has another
// architecture than the first, the error gives its number, counted from 1.
func Mean(networks ...*Network) (*Network, error) {
	mean := networks[0].Clone()
	for i, n := range networks {
		if n.Config != mean.Config {
			return nil, fmt.Errorf("network %d is %s, and the first is %s: only networks of the same architecture have a mean", i+1, n.Config.describe(), mean.Config.describe())
		}
	}
	for i, p := range mean.Params {
		for j := range p.Data {
			sum := 0.0
			for _, n := range networks {
				sum += float64(n.Params[i].Data[j])
			}
			p.Data[j] = float32(sum / float64(len(networks)))
		}
	}
	return mean, nil
}
