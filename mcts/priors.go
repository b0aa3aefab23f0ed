package mcts

import (
	"math"

	"warren/game"
)

// fill writes the edges of a new node, in order of falling prior.
func (s *Search) fill(id int32, legal []game.Action, priors []float32) {
	first, end := s.nodes[id].span()
	edges, actions := s.edges[first:end], s.actions[first:end]
	for i, a := range legal {
		p := priors[i]
		// Insertion keeps equal priors in order, and a uniform policy costs
		// one comparison an edge.
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

// temper raises the priors to the given power and lets them sum to 1 again.
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

// settleRoot keeps the new root's own priors and mixes the noise into those
// that the search goes by.
func (s *Search) settleRoot() {
	root := &s.nodes[0]
	first, end := root.span()
	edges := s.edges[first:end]
	s.rootPriors = s.rootPriors[:0]
	for i := range edges {
		s.rootPriors = append(s.rootPriors, edges[i].prior)
	}
	if s.config.NoiseFraction == 0 || s.rng == nil {
		return
	}
	alpha := s.config.NoiseAlpha
	if s.config.NoiseScale == Total {
		alpha /= float64(len(edges))
	}
	var buf [game.NumActions]float64
	noise := buf[:len(edges)]
	dirichlet(noise, alpha, s.rng)
	keep := 1 - s.config.NoiseFraction
	for i, p := range s.rootPriors {
		edges[i].prior = float32(float64(keep*float64(p)) + float64(s.config.NoiseFraction*noise[i]))
	}
	// The priors are in order no longer, so the rule has to look at all.
	root.open = root.count
}
