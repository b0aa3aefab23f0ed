package mcts

import (
	"math"
	"slices"

	"warren/game"
)

// fill writes the edges of a new node, in order of falling prior.
func (s *Search) fill(id int32, g *game.Game, legal []game.Action, priors []float32) {
	priors = s.captures.Favour(g, legal, priors, s.config.CapturePrior)
	if s.config.PassPrior < 1 {
		priors = s.limitPass(legal, priors)
	}
	first, end := s.nodes[id].span()
	edges, actions := s.edges[first:end], s.actions[first:end]
	for i, a := range legal {
		p := priors[i]
		// Insertion keeps equal priors in order, and a uniform policy costs
		// one comparison per edge.
		j := i
		for ; j > 0 && edges[j-1].prior < p; j-- {
			edges[j], actions[j] = edges[j-1], actions[j-1]
		}
		edges[j], actions[j] = edge{prior: p}, a
	}
	if s.config.PolicyTemperature != 1 {
		temper(edges, 1/s.config.PolicyTemperature)
	}
}

// limitPass returns priors in which that of Pass is at most Config.PassPrior. The others keep
// their proportions. The result is overwritten by the next call.
func (s *Search) limitPass(legal []game.Action, priors []float32) []float32 {
	at := slices.Index(legal, game.Pass)
	limit := float32(s.config.PassPrior)
	if at < 0 || len(legal) == 1 || priors[at] <= limit {
		return priors
	}
	s.priors = append(s.priors[:0], priors...)
	rest := 1 - priors[at]
	for i := range s.priors {
		if rest > 0 {
			s.priors[i] *= (1 - limit) / rest
		} else {
			s.priors[i] = (1 - limit) / float32(len(legal)-1)
		}
	}
	s.priors[at] = limit
	return s.priors
}

// temper raises the priors to the given power and scales them to sum to 1.
func temper(edges []edge, power float64) {
	var sum float64
	for i := range edges {
		p := math.Pow(float64(edges[i].prior), power)
		edges[i].prior = float32(p)
		sum += p
	}
	for i := range edges {
		edges[i].prior = float32(float64(edges[i].prior) / sum)
	}
}
