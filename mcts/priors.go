package mcts

import (
	"math"
	"slices"

	"warren/game"
)

// fill writes the edges of a new node, in order of falling prior.
func (s *Search) fill(id int32, g *game.Game, legal []game.Action, priors []float32) {
	if s.config.PassPrior < 1 {
		priors, s.priors = limitPass(legal, priors, float32(s.config.PassPrior), s.priors)
	}
	// This comes last, because the policy target undoes it.
	priors = s.captures.Favour(g, legal, priors, s.config.CapturePrior)
	keys, first := s.ordered(priors), s.nodes[id].first
	edges, actions := s.edges[first:][:len(keys)], s.actions[first:][:len(keys)]
	for i, key := range keys {
		at := indexOf(key)
		edges[i], actions[i] = edge{prior: priors[at]}, legal[at]
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

// limitPass returns the priors with the prior of Pass reduced to at most limit. The others keep
// their proportions. The given priors are not changed: if the result differs, it is written to buf.
// Kept is the buffer to pass as buf in the next call.
func limitPass(legal []game.Action, priors []float32, limit float32, buf []float32) (limited, kept []float32) {
	at := slices.Index(legal, game.Pass)
	if at < 0 || len(legal) == 1 || priors[at] <= limit {
		return priors, buf
	}
	buf = append(buf[:0], priors...)
	rest := 1 - priors[at]
	for i := range buf {
		if rest > 0 {
			buf[i] *= (1 - limit) / rest
		} else {
			buf[i] = (1 - limit) / float32(len(legal)-1)
		}
	}
	buf[at] = limit
	return buf, buf
}
