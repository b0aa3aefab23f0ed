package replay

import (
	"errors"
	"math/rand/v2"

	"warren/data"
	"warren/game"
)

// ErrEmpty is returned when samples are drawn from a window without positions.
var ErrEmpty = errors.New("sampling: the replay window is empty")

// Sample is one position to train on: [Window.Draw] chooses it, and [Sample.Fill] sets the exported
// fields. Their memory is reused, so after a few draws nothing is allocated.
type Sample struct {
	// Game is the state before the decision, with its history. The first Fill allocates it.
	Game *game.Game
	// Mirror says that the sample must be mirrored, left to right, before use: mirror the network's
	// input, and apply [game.Action.Mirror] to every action. Game and Policy are not mirrored. It
	// is true for half of the positions after the setup and for none during it: pieces are placed
	// from file a on, so the mirror image of an unfinished setup cannot occur.
	Mirror bool
	// Policy is the policy target, in ascending order of action, until the next Fill. The shares sum
	// to 1. Every other action has a share of 0. That of a placement that was drawn from the policy
	// depends on the window at the time of the draw.
	Policy []data.Share
	// PolicyWeight and ValueWeight are the weights of the targets in the loss, at least 0. A target
	// of weight 0 must be ignored.
	PolicyWeight float32
	ValueWeight  float32
	// Value is the value target, the chance to win of the side to move: the game's outcome, mixed
	// with the root value of the search by Config.QRatio. The outcome is 1 or 0. It is
	// Config.LimitValue, or 1 minus that, if the game was stopped and decided by the score.
	// A game without a result has no value target. With Config.MaterialWeight above 0, the final
	// difference in pieces is part of the outcome.
	Value float32

	decision data.Decision
	setups   *setupPolicy // the policy target of placements that were drawn, for a position in the setup
	target   valueTarget
	source   *packed // the game that the position is from, kept until another is drawn
	index    int
	old      bool // whether the position has no policy target any more: see Config.PolicyWindow
	byPolicy bool // whether it was drawn by its policy weight
	future   future
	looked   bool // whether future is for this position
}

// maxTries limits the draws for one position by policy weight. The limit is practically never
// reached unless such positions are extremely rare.
const maxTries = 1000

// Draw chooses positions from the window, which [Sample.Fill] then fills in. Each is drawn independently, and
// every position is equally likely, except that a share of the samples (Config.PolicyShare) is drawn in
// proportion to the positions' policy weights, from the newest Config.PolicyWindow. A weight above 1
// is drawn like 1, and counts in full in the loss. Older positions have no policy target. The same
// window content and the same state of rng give the same samples. Draw returns [ErrEmpty] if the
// window is empty. Games may be added during the call. The elements of samples belong to the caller.
func (w *Window) Draw(rng *rand.Rand, samples []Sample) error {
	setups := w.taught()
	w.mu.Lock()
	defer w.mu.Unlock()
	n := w.positions()
	if n == 0 {
		return ErrEmpty
	}
	if setups == nil {
		setups = w.setupPolicy()
	}
	recent := 0 // the first position whose policy target is learned
	if w.policyPositions > 0 {
		recent = max(0, n-w.policyPositions)
	}
	for i := range samples {
		s, first := &samples[i], 0
		s.target = w.target
		policy := w.policyShare > 0 && rng.Float64() < w.policyShare
		if policy {
			first = recent
		}
		for range maxTries {
			at := first + rng.IntN(n-first)
			s.source, s.index = w.at(at)
			s.old, s.byPolicy = at < recent, policy
			if !policy || accepted(rng, s.source.policyWeight(s.index)) {
				break
			}
		}
		if s.source.plies[s.index] < game.Placements {
			s.setups = setups
		}
		s.Mirror = rng.IntN(2) == 1
	}
	return nil
}

// accepted reports true with the given probability. Weights of 0, 1 and more draw no number.
func accepted(rng *rand.Rand, weight float32) bool {
	return weight >= 1 || weight > 0 && rng.Float32() < weight
}

// Fill replays the sample's game up to the position that was drawn. Several goroutines may fill
// samples at once, each its own.
func (s *Sample) Fill() {
	p := s.source
	if s.Game == nil {
		s.Game = game.New()
	}
	var start game.Game
	s.Game.CopyFrom(&start)
	for _, a := range p.actions[:p.plies[s.index]] {
		s.Game.Play(a)
	}
	if s.Game.InSetup() {
		s.Mirror = false
	}

	d := &s.decision
	decodeTarget(p.targets[p.offsets[s.index]:], d)
	if p.drawn(s.index) {
		s.Policy = s.setups.target(s.Game, s.Policy[:0])
	} else {
		s.Policy = d.Target(s.Policy[:0])
	}
	s.PolicyWeight, s.ValueWeight = d.PolicyWeight, d.ValueWeight
	if !p.result.Over() {
		s.ValueWeight = 0
	}
	switch {
	case s.old:
		s.PolicyWeight = 0
	case s.byPolicy && s.PolicyWeight > 0: // weights below 1 have counted in the draw
		s.PolicyWeight = max(1, s.PolicyWeight)
	}
	s.Value = s.target.of(p, s.Game.Side(), d.Value)
	s.looked = false
}
