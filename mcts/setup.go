package mcts

import (
	"math"
	"math/rand/v2"
	"slices"

	"warren/game"
	"warren/internal/portable"
)

// Setup chooses the placements of one side together. It samples whole setups from the policy and
// compares the values of the positions at their ends. A [Search] for each placement compares unfinished
// setups instead, whose values depend on what usually follows.
//
// The samples, weighted by exp([Config.PolicyTargetScale] * value), estimate the policy target of a
// search: the policy times exp(scale * value), normalized (Grill et al. 2020).
//
// A Setup hands out leaves as a Search does. It is not safe for concurrent use.
type Setup struct {
	scale, penalty float64
	temperature    float64 // of the samples
	rng            *rand.Rand
	samples        []setupSample
}

// setupSample is one setup, complete or under way.
type setupSample struct {
	leaf       Leaf // its position so far
	side       game.Color
	placements []game.Action
	flying     bool // whether the leaf is out for evaluation
	judged     bool
	chance     float64 // of the side to win
	worth      float64 // the chance less the cost of stopped games
}

// SetupStats is what a Setup knows about one placement.
type SetupStats struct {
	Action  game.Action
	Samples int     // that place this piece, at least 1
	Share   float32 // of the weights of all samples: the policy target
}

// NewSetup returns a Setup. Call [Setup.Begin] before anything else.
func NewSetup(config Config) *Setup {
	return &Setup{scale: config.PolicyTargetScale, penalty: config.DrawPenalty}
}

// Begin begins to sample the given number of setups, at least 1, that complete the one in g, which must
// not be over. A placement is drawn with probability proportional to prior^(1/temperature). The
// temperature is above 0. Above 1, unusual setups are sampled too: their values are learned, and the
// policy does not narrow to one setup. Leaves in flight are void.
func (s *Setup) Begin(g *game.Game, samples int, temperature float64, rng *rand.Rand) {
	s.temperature, s.rng = temperature, rng
	s.samples = make([]setupSample, samples)
	for i := range s.samples {
		c := &s.samples[i]
		c.leaf.Game, c.side = g.Clone(), g.Side()
		c.force()
	}
}

// Select returns a position that needs an evaluation. Without one, the status is Wait if leaves are in
// flight, and Finished if all samples are complete and have values.
func (s *Setup) Select() (*Leaf, Status) {
	status := Finished
	for i := range s.samples {
		switch c := &s.samples[i]; {
		case c.judged:
		case c.flying:
			status = Wait
		default:
			c.flying = true
			return &c.leaf, Evaluate
		}
	}
	return nil, status
}

// Expand hands back a leaf with its evaluation, which is not checked.
func (s *Setup) Expand(leaf *Leaf, e Evaluation) {
	c := s.land(leaf)
	switch {
	case c == nil:
	case c.placing():
		var buf [game.NumKinds]float64
		weights := buf[:len(e.Priors)]
		for i, p := range e.Priors {
			weights[i] = max(float64(p), smallestPrior)
		}
		c.play(leaf.Legal[sample(weights, s.temperature, s.rng)])
		c.force()
	default: // the opponent is to move
		c.judged, c.chance = true, 1-float64(e.Value)
		c.worth = c.chance - float64(s.penalty*float64(e.Stopped))
	}
}

// smallestPrior leaves some placement to draw, whatever the priors are.
const smallestPrior = 1e-12

// Cancel hands back a leaf without an evaluation.
func (s *Setup) Cancel(leaf *Leaf) { s.land(leaf) }

// land takes a leaf back and returns its sample, nil if the leaf is void.
func (s *Setup) land(leaf *Leaf) *setupSample {
	for i := range s.samples {
		if c := &s.samples[i]; &c.leaf == leaf && c.flying {
			c.flying = false
			return c
		}
	}
	return nil
}

// placing reports whether the side has pieces left to place.
func (c *setupSample) placing() bool { return c.leaf.Game.InSetup() && c.leaf.Game.Side() == c.side }

func (c *setupSample) play(a game.Action) {
	c.placements = append(c.placements, a)
	c.leaf.Game.Play(a)
}

// force makes the placements that have no alternative, and lists the actions of the position behind them.
func (c *setupSample) force() {
	for {
		c.leaf.Legal = c.leaf.Game.Legal(c.leaf.Legal[:0])
		if !c.placing() || len(c.leaf.Legal) > 1 {
			return
		}
		c.play(c.leaf.Legal[0])
	}
}

// Choose returns the placements of a sample, drawn with probability proportional to its weight. All
// samples must have values.
func (s *Setup) Choose() []game.Action {
	return s.samples[sample(s.weights(), 1, s.rng)].placements
}

// weights returns the weights of the samples; that of the best is 1.
func (s *Setup) weights() []float64 {
	best := math.Inf(-1)
	for i := range s.samples {
		best = max(best, s.samples[i].worth)
	}
	weights := make([]float64, len(s.samples))
	for i := range s.samples {
		weights[i] = portable.Exp(float64(s.scale * (s.samples[i].worth - best)))
	}
	return weights
}

// Stats appends to buf what the samples that begin with the given placements say about the next one, in
// ascending order of action. It also returns the mean chance of the side to win with these samples. There
// must be some.
func (s *Setup) Stats(placed []game.Action, buf []SetupStats) (stats []SetupStats, chance float32) {
	var samples [game.NumActions]int
	var shares [game.NumActions]float64
	var sum, won float64
	for i, weight := range s.weights() {
		c := &s.samples[i]
		if n := len(placed); n < len(c.placements) && slices.Equal(c.placements[:n], placed) {
			a := c.placements[n]
			samples[a]++
			shares[a] += weight
			sum += weight
			won += float64(weight * c.chance)
		}
	}
	// A weight of 0 is too small to count, unless there is no other.
	for a, n := range samples {
		if share := float32(shares[a] / sum); n > 0 && share > 0 {
			buf = append(buf, SetupStats{game.Action(a), n, share})
		}
	}
	return buf, float32(won / sum)
}
