package mcts

import "math"

// Spread holds the settings by which exploration follows the spread of the
// values seen below a node (KataGo, "dynamic variance-scaled cPUCT", in
// docs/KataGoMethods.md): where all values are close, small differences decide.
type Spread struct {
	Scale  float64 `yaml:"scale" min:"0" max:"1" doc:"exploration is multiplied by 1 + scale*(deviation/prior - 1); 0 leaves it as it is (KataGo: 0.85)"`
	Prior  float64 `yaml:"prior" min:"0.001" max:"1" doc:"standard deviation that counts as usual (KataGo: 0.4 on values in [-1, 1], so 0.2 here)"`
	Weight float64 `yaml:"weight" min:"1" max:"1e6" doc:"visits that the usual deviation weighs (KataGo: 2)"`
}

// DefaultSpread returns the published settings, turned off.
func DefaultSpread() Spread { return Spread{Scale: 0, Prior: 0.2, Weight: 2} }

// factor returns by how much exploration is multiplied at a node that was
// reached by in.
func (s *Spread) factor(t *tree, at int32, in choice) float32 {
	visits, mean := t.edges[in.edge].visits, t.mean(at, in)
	centre := (float64(mean) - 0.5) * (float64(mean) - 0.5)
	squares := (centre+s.Prior*s.Prior)*s.Weight + float64(t.squares[at])/one
	deviation := math.Sqrt(max(0, squares/(s.Weight+float64(visits)-1)-centre))
	return float32(1 + s.Scale*(deviation/s.Prior-1))
}

// observe adds to a node's spread a value of a visit, Gold's chance to win. The
// square of its distance from 0.5 is the same for both players.
func (t *tree) observe(at int32, gold float32) {
	if t.spread {
		t.squares[at] += whole((gold - 0.5) * (gold - 0.5))
	}
}
