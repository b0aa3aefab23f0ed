package mcts

import (
	"math/rand/v2"

	"warren/game"
)

// Outcome is the result of a search.
type Outcome struct {
	Action game.Action // the action to play

	// Target is what the search teaches a policy: the shares of the root's
	// actions, which sum to 1, in the order of [Search.Root]. Actions without a
	// share are left out. The search reuses the slice in its next Outcome.
	Target []Share
	Weight float32 // of Target in training, at least 0; 1 for an ordinary search
}

// Share is a root action's share of a policy target.
type Share struct {
	Action game.Action
	Share  float32 // in (0, 1]
}

// Outcome returns the result of the search by its root rule. The temperature
// says how freely the action is chosen, from 0 for the best one; rng is used
// only if the temperature is not 0. It reports false if the root has not been
// evaluated or its game is over.
//
// PUCT plays an action with probability proportional to visits^(1/temperature),
// and at temperature 0 the one with the most visits, among equals the one with
// the highest prior; with [Config.LCB], the one with the best lower confidence
// bound. Its target is the prior times exp(PolicyTargetScale*value) of each action,
// or its share of the visits if that setting is 0, with weight 1. If no action has a
// visit, the priors take the place of the visits and the weight is 0.
//
// The rule gumbel plays the best action that sequential halving has left; if
// [Search.Begin] planned no visits, the one with the most. At a temperature above
// 0, the noise makes it a sample; without noise it is drawn from the target, which
// is the improved policy (Danihelka et al. 2022, sec. 3 and 4).
//
// A proven win is played at any temperature and is the whole target. A proven
// loss is neither played nor part of the target, unless all actions are lost.
func (s *Search) Outcome(temperature float64, rng *rand.Rand) (Outcome, bool) {
	if len(s.nodes) == 0 {
		return Outcome{}, false
	}
	if s.Proof() == Won {
		a := s.actions[s.mostVisited(0)]
		s.target = append(s.target[:0], Share{a, 1})
		return Outcome{Action: a, Target: s.target, Weight: 1}, true
	}
	out := s.root.outcome(&s.tree, s.priorsOfRoot(), temperature, rng, s.target[:0])
	s.target = out.Target
	return out, true
}
