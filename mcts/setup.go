package mcts

import (
	"math"
	"math/rand/v2"
	"slices"

	"warren/game"
	"warren/internal/portable"
)

// Setup chooses the placements of one side together. It samples whole setups from the policy and
// compares the values of positions where both sides have set up. Silver's samples stand against Gold's
// setup, and each of Gold's against the same few samples of Silver's. A [Search] for each placement
// compares unfinished setups instead, whose values depend on what usually follows.
//
// The samples, weighted by exp([Config.PolicyTargetScale] * value), estimate the policy target of a
// search: the policy times exp(scale * value), normalized (Grill et al. 2020).
//
// A Setup hands out leaves as a Search does. It is not safe for concurrent use.
type Setup struct {
	scale, penalty float64
	temperature    float64 // of the samples
	rng            *rand.Rand
	side           game.Color // that sets up
	samples        []setupSample
	phase          setupPhase
	runs           []setupRun // of this phase
	first          int        // of the runs that are not done
}

// setupSample is one setup of the side.
type setupSample struct {
	placements []game.Action
	end        *game.Game // the position after them
	chance     float64    // of the side to win
	worth      float64    // the chance less the cost of stopped games
}

type setupPhase uint8

const (
	sampling  setupPhase = iota // the side's setups
	answering                   // the first of them, by the other side
	judging                     // the positions that they lead to
)

// setupAnswers is the number of answers that each sample is judged with.
const setupAnswers = 4

// setupRun leads to the end of a side's setup, or it is a position to judge.
type setupRun struct {
	leaf       Leaf
	sample     int // whose it is
	placements []game.Action
	flying     bool // whether the leaf is out for evaluation
	done       bool
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
// not be over. A placement is drawn with probability proportional to prior^(1/temperature). Above 1,
// unusual setups are sampled too, and the policy forgets part of what it knows of setups with each one that it
// learns. Leaves in flight are void.
func (s *Setup) Begin(g *game.Game, samples int, temperature float64, rng *rand.Rand) {
	s.temperature, s.rng, s.side = temperature, rng, g.Side()
	s.samples = make([]setupSample, samples)
	s.phase, s.runs, s.first = sampling, make([]setupRun, samples), 0
	for i := range s.runs {
		s.runs[i].begin(g, i)
	}
}

// begin begins a run at a copy of g, for the side to act.
func (r *setupRun) begin(g *game.Game, sample int) {
	r.leaf.Game, r.sample = g.Clone(), sample
	r.force(g.Side())
}

// force makes the side's placements that have no alternative. It lists the actions of the position where
// there is one, or ends the run.
func (r *setupRun) force(side game.Color) {
	for g := r.leaf.Game; g.InSetup() && g.Side() == side; r.play(r.leaf.Legal[0]) {
		if r.leaf.Legal = g.Legal(r.leaf.Legal[:0]); len(r.leaf.Legal) > 1 {
			return
		}
	}
	r.done = true
}

func (r *setupRun) play(a game.Action) {
	r.placements = append(r.placements, a)
	r.leaf.Game.Play(a)
}

// Select returns a position that needs an evaluation. Without one, the status is Wait if leaves are in
// flight, and Finished if all samples have values.
func (s *Setup) Select() (*Leaf, Status) {
	for {
		status := Finished
		for s.first < len(s.runs) && s.runs[s.first].done {
			s.first++
		}
		for i := s.first; i < len(s.runs); i++ {
			switch r := &s.runs[i]; {
			case r.done:
			case r.flying:
				status = Wait
			default:
				r.flying = true
				return &r.leaf, Evaluate
			}
		}
		if status == Wait || s.phase == judging {
			return nil, status
		}
		s.proceed()
	}
}

// proceed begins the next phase.
func (s *Setup) proceed() {
	done := s.runs
	s.first = 0
	answers := [][]game.Action{nil}
	if s.phase == answering {
		answers = nil
		for i := range done {
			answers = append(answers, done[i].placements)
		}
	} else {
		for i := range done {
			s.samples[i].placements, s.samples[i].end = done[i].placements, done[i].leaf.Game
		}
		if s.samples[0].end.InSetup() {
			s.phase, s.runs = answering, make([]setupRun, min(len(done), setupAnswers))
			for i := range s.runs {
				s.runs[i].begin(s.samples[i].end, i)
			}
			return
		}
	}
	s.phase, s.runs = judging, nil
	for i := range s.samples {
		for _, answer := range answers {
			r := setupRun{sample: i, leaf: Leaf{Game: s.samples[i].end.Clone()}}
			for _, a := range answer {
				r.leaf.Game.Play(a)
			}
			r.leaf.Legal = r.leaf.Game.Legal(nil)
			s.runs = append(s.runs, r)
		}
	}
}

// Expand hands back a leaf with its evaluation, which is not checked.
func (s *Setup) Expand(leaf *Leaf, e Evaluation) {
	switch r := s.land(leaf); {
	case r == nil:
	case s.phase == judging:
		r.done = true
		c, part := &s.samples[r.sample], float64(len(s.samples))/float64(len(s.runs))
		chance := float64(forSide(e.Value, leaf.Game.Side(), s.side))
		c.chance += float64(part * chance)
		c.worth += float64(part * (chance - float64(s.penalty*float64(e.Stopped))))
	default:
		var buf [game.NumKinds]float64
		weights := buf[:len(e.Priors)]
		for i, p := range e.Priors {
			weights[i] = max(float64(p), smallestPrior)
		}
		side := leaf.Game.Side()
		r.play(leaf.Legal[sample(weights, s.temperature, s.rng)])
		r.force(side)
	}
}

// smallestPrior leaves some placement to draw, whatever the priors are.
const smallestPrior = 1e-12

// Cancel hands back a leaf without an evaluation.
func (s *Setup) Cancel(leaf *Leaf) { s.land(leaf) }

// land takes a leaf back and returns its run, nil if the leaf is void.
func (s *Setup) land(leaf *Leaf) *setupRun {
	for i := s.first; i < len(s.runs); i++ {
		if r := &s.runs[i]; &r.leaf == leaf && r.flying {
			r.flying = false
			return r
		}
	}
	return nil
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
	for a, n := range samples {
		// A share may be too small for a float32.
		if share := float32(shares[a] / sum); share > 0 {
			buf = append(buf, SetupStats{game.Action(a), n, share})
		}
	}
	return buf, float32(won / sum)
}
