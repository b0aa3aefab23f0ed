package selfplay

import (
	"warren/data"
	"warren/game"
	"warren/internal/gather"
	"warren/mcts"
)

// The values of Config.Setups.
const (
	SearchedSetups = "search"
	WholeSetups    = "whole"
)

// setup chooses the setup of one side as a whole.
type setup struct {
	samples *mcts.Setup
	begun   bool
	stats   []mcts.SetupStats
}

// sampleSetup adds the next position of the samples to leaves. Once all samples have values it makes the
// placements of one of them, and reports false.
func (e *episode) sampleSetup(leaves *gather.Leaves) bool {
	s := &e.setup
	if !s.begun {
		s.begun = true
		s.samples.Begin(e.game(), e.config.SetupVisits, e.config.SetupTemperature, e.rng)
	}
	if leaves.Take(s.samples) == mcts.Evaluate {
		return true
	}
	s.begun = false
	placements := s.samples.Choose()
	for i, a := range placements {
		e.play(e.placement(placements[:i], a), nil)
	}
	return false
}

// placement returns the decision for a placement after others, in which the samples that begin with these
// others count as visits.
func (e *episode) placement(placed []game.Action, a game.Action) data.Decision {
	d := data.Decision{Action: a}
	if e.legal = e.game().Legal(e.legal[:0]); len(e.legal) == 1 {
		return d
	}
	d.Full, d.ValueWeight, d.PolicyWeight = true, 1, float32(e.config.SetupPolicyWeight)
	e.setup.stats, d.Value = e.setup.samples.Stats(placed, e.setup.stats[:0])
	var target []mcts.Share
	for _, m := range e.setup.stats {
		d.Visits = append(d.Visits, data.Visit{Action: m.Action, Count: uint32(m.Samples)})
		target = append(target, mcts.Share{Action: m.Action, Share: m.Share})
	}
	d.Policy = policy(target, d.Visits)
	return d
}
