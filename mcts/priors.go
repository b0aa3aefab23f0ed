package mcts

import (
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
// finds the first edge to open. Most nodes are never searched.
func (s *Search) arrange(id int32, g *game.Game) {
	s.nodes[id].arranged = true
	first, end := s.nodes[id].span()
	edges, legal := s.edges[first:end], s.actions[first:end]
	priors := s.priors[:0]
	for i := range edges {
		priors = append(priors, edges[i].prior)
	}
	s.priors = priors
	limitPass(legal, priors, float32(s.config.PassPrior))
	s.favour(g, legal, priors) // last, because the policy target undoes it
	for i, p := range priors {
		edges[i].prior = p
	}
	s.next(id, 0)
}

// next brings to index i of a node's edges, from there on, the one with the highest prior, and the
// first of equal ones in the order of game.Legal, which is that of the actions.
func (t *tree) next(id int32, i int) {
	first, end := t.nodes[id].span()
	edges, actions := t.edges[first:end], t.actions[first:end]
	if i >= len(edges) {
		return
	}
	best, highest := i, edges[i].prior
	for j := i + 1; j < len(edges); j++ {
		if p := edges[j].prior; p > highest || p == highest && actions[j] < actions[best] {
			best, highest = j, p
		}
	}
	edges[i], edges[best] = edges[best], edges[i]
	actions[i], actions[best] = actions[best], actions[i]
}

// order puts the edges of a node that are not open in order.
func (t *tree) order(id int32) {
	for i := int(t.nodes[id].open); i < int(t.nodes[id].count); i++ {
		t.next(id, i)
	}
}

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

// favour moves the share Config.CapturePrior of the priors, in equal parts, to the steps that lead to a capture.
func (s *Search) favour(g *game.Game, legal []game.Action, priors []float32) {
	share, steps := s.config.CapturePrior, s.favoured(g, legal)
	if len(steps) == 0 {
		return
	}
	for i := range priors {
		priors[i] *= float32(1 - share)
	}
	for _, i := range steps {
		priors[i] += float32(share) / float32(len(steps))
	}
}

// disfavour undoes favour, up to rounding. The order of legal may be another one.
func (s *Search) disfavour(g *game.Game, legal []game.Action, priors []float32) {
	share, steps := s.config.CapturePrior, s.favoured(g, legal)
	if len(steps) == 0 {
		return
	}
	for _, i := range steps {
		priors[i] = max(0, priors[i]-float32(share)/float32(len(steps)))
	}
	for i := range priors {
		priors[i] /= float32(1 - share)
	}
}

// favoured returns the indices in legal of the steps that have a share of the priors.
func (s *Search) favoured(g *game.Game, legal []game.Action) []int {
	if s.config.CapturePrior == 0 {
		return nil
	}
	return s.captures.Find(g, legal)
}
