package selfplay

import (
	"warren/data"
	"warren/internal/gather"
	"warren/mcts"
)

// setupTemperature is that of the placements. Above 0 setups vary, without which there is nothing to compare; at 1 the
// policy itself draws them. No other value was measured since setups are learned whole.
const setupTemperature = 1

// setup draws the setup of one side from the policy.
type setup struct {
	mcts.Setup
	begun bool
}

// drawSetup adds the position before the next placement to leaves. Once the setup is complete it makes its placements, and
// reports false.
func (e *episode) drawSetup(leaves *gather.Leaves) bool {
	s := &e.setup
	if !s.begun {
		s.begun = true
		s.Begin(e.game(), setupTemperature, e.rng)
	}
	if leaves.Take(s) == mcts.Evaluate {
		return true
	}
	s.begun = false
	for _, p := range s.Placements() {
		e.play(e.placement(p), nil)
	}
	return false
}

// placement returns the decision for a placement that was drawn. It has one visit, and is not a full search: its
// policy target is that of package replay.
func (e *episode) placement(p mcts.Placement) data.Decision {
	d := data.Decision{Action: p.Action}
	if len(e.legal) > 1 {
		d.Visits = []data.Visit{{Action: p.Action, Count: 1}}
		d.Value, d.ValueWeight, d.PolicyWeight = p.Chance, 1, float32(e.config.SetupPolicyWeight)
	}
	return d
}
