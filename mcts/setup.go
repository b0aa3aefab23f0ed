package mcts

import (
	"math/rand/v2"

	"warren/game"
)

// Setup draws the setup of one side from the policy, placement after placement, without a search. A [Search] for each
// placement compares unfinished setups, whose values say little about what follows.
//
// A Setup hands out leaves as a Search does. Call [Setup.Begin] before anything else. It is not safe for concurrent use.
type Setup struct {
	temperature float64
	rng         *rand.Rand
	side        game.Color // that sets up
	leaf        *Leaf      // the next placement
	flying      bool       // whether the leaf is out for evaluation
	placements  []Placement
}

// Placement is one action of a setup.
type Placement struct {
	Action game.Action
	Chance float32 // of the side to win, by the evaluation of the position before; 0 where it was not needed
}

// Begin begins to draw the rest of the setup in g, which must not be over. A placement is drawn with probability
// proportional to prior^(1/temperature), at temperature 0 one with the highest prior. The temperature must be at least 0,
// and rng must not be nil. A leaf in flight is void.
func (s *Setup) Begin(g *game.Game, temperature float64, rng *rand.Rand) {
	s.temperature, s.rng, s.side = temperature, rng, g.Side()
	s.leaf, s.flying, s.placements = &Leaf{Game: g.Clone()}, false, nil
	s.force()
}

// force makes the placements that have no alternative, and lists the actions of the position where there is one.
func (s *Setup) force() {
	for g := s.leaf.Game; s.unfinished(); s.play(Placement{Action: s.leaf.Legal[0]}) {
		if s.leaf.Legal = g.Legal(s.leaf.Legal[:0]); len(s.leaf.Legal) > 1 {
			return
		}
	}
}

func (s *Setup) unfinished() bool { return s.leaf.Game.InSetup() && s.leaf.Game.Side() == s.side }

func (s *Setup) play(p Placement) {
	s.placements = append(s.placements, p)
	s.leaf.Game.Play(p.Action)
}

// Select returns a position that needs an evaluation. Without one, the status is Wait if it is in
// flight, and Finished at the end of the setup.
func (s *Setup) Select() (*Leaf, Status) {
	switch {
	case s.flying:
		return nil, Wait
	case !s.unfinished():
		return nil, Finished
	}
	s.flying = true
	return s.leaf, Evaluate
}

// Expand hands back a leaf with its evaluation, which is not checked.
func (s *Setup) Expand(leaf *Leaf, e Evaluation) {
	if !s.land(leaf) {
		return
	}
	var buf [game.NumKinds]float64
	weights := buf[:len(e.Priors)]
	for i, p := range e.Priors {
		weights[i] = max(float64(p), smallestPrior)
	}
	s.play(Placement{leaf.Legal[sample(weights, s.temperature, s.rng)], e.Value})
	s.force()
}

// smallestPrior leaves some placement to draw, whatever the priors are.
const smallestPrior = 1e-12

// Cancel hands back a leaf without an evaluation.
func (s *Setup) Cancel(leaf *Leaf) { s.land(leaf) }

// land takes a leaf back, and reports whether it was out.
func (s *Setup) land(leaf *Leaf) bool {
	out := s.flying && leaf == s.leaf
	s.flying = s.flying && !out
	return out
}

// Placements returns what has been drawn.
func (s *Setup) Placements() []Placement { return s.placements }
