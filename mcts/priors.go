package mcts

import (
	"math"
	"slices"

	"warren/game"
)

// fill writes the edges of a new node, with the priors of its evaluation.
func (s *Search) fill(id int32, legal []game.Action, priors []float32) {
	first, end := s.nodes[id].span()
	copy(s.actions[first:end], legal)
	edges := s.edges[first:end]
	for i := range edges {
		edges[i] = edge{prior: priors[i]}
	}
}

// arrange makes a node ready to be searched: it limits the prior of Pass, favours captures and
// puts the edges in order of falling prior. Most nodes are never searched.
func (s *Search) arrange(id int32, g *game.Game) {
	s.nodes[id].arranged = true
	first, end := s.nodes[id].span()
	edges, actions := s.edges[first:end], s.actions[first:end]
	legal, priors := append(s.legal[:0], actions...), s.priors[:0]
	for i := range edges {
		priors = append(priors, edges[i].prior)
	}
	s.legal, s.priors = legal, priors
	limitPass(legal, priors, float32(s.config.PassPrior))
	// This comes last, because the policy target undoes it.
	priors = s.captures.Favour(g, legal, priors, s.config.CapturePrior)
	for i, key := range s.ordered(priors) {
		at := indexOf(key)
		edges[i].prior, actions[i] = priors[at], legal[at]
	}
}

// ordered returns a key for every prior, in order of falling prior, with equal priors in their
// order. Priors are at least 0, so their bits are in the same order as they are. A key
// is cheaper to move than an edge, and a uniform policy costs one comparison for each.
func (s *Search) ordered(priors []float32) []uint64 {
	keys := slices.Grow(s.keys[:0], len(priors))[:len(priors)]
	for i, p := range priors {
		key := uint64(math.Float32bits(p))<<32 | uint64(^uint32(i))
		j := i
		for ; j > 0 && keys[j-1] < key; j-- {
			keys[j] = keys[j-1]
		}
		keys[j] = key
	}
	s.keys = keys
	return keys
}

// indexOf is the index of the prior that a key is for.
func indexOf(key uint64) uint32 { return ^uint32(key) }

// limitPass reduces the prior of Pass to at most limit. The others keep their proportions.
func limitPass(legal []game.Action, priors []float32, limit float32) {
	at := slices.Index(legal, game.Pass)
	if at < 0 || len(legal) == 1 || priors[at] <= limit {
		return
	}
	rest := 1 - priors[at]
	for i := range priors {
		if rest > 0 {
			priors[i] *= (1 - limit) / rest
		} else {
			priors[i] = (1 - limit) / float32(len(legal)-1)
		}
	}
	priors[at] = limit
}
