package train

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"warren/data/replay"
	"warren/internal/learn"
	"warren/internal/learn/device"
	"warren/internal/recipe"
	"warren/net"
)

// learner feeds a trainer with samples of the replay window.
type learner struct {
	learn.Trainer
	seed      uint64
	heldOut   int // samples per measurement
	minibatch *minibatch
	network   net.Config
	recycle   int // Config.DormantResetInterval
}

func newLearner(c *recipe.Config, n *net.Network, on *device.Choice) (*learner, error) {
	batch, err := newMinibatch(c.Network, c.Learner.Batch)
	if err != nil {
		return nil, err
	}
	trainer, err := on.New(n, c.Learner)
	if err != nil {
		return nil, err
	}
	return &learner{trainer, c.Seed, c.Learner.HeldOut, batch, c.Network, c.Learner.DormantResetInterval}, nil
}

// Streams of random numbers for the learner, separate from those of games and matches.
const (
	recycleStream = 1<<61 | 1<<62
	trainStream   = 1 << 62
	heldOutStream = 1 << 63
)

// train makes one step on a minibatch. The choice of samples depends only on the
// seed, the step's number and the window.
func (l *learner) train(w *replay.Window, step int64, rate float64) (learn.Losses, error) {
	b, err := l.minibatch.sample(w, rand.New(rand.NewPCG(l.seed, trainStream|uint64(step))))
	if err != nil {
		return nil, err
	}
	losses, err := l.Step(b, rate)
	if err != nil {
		return nil, fmt.Errorf("training step %d: %w", step, err)
	}
	if done := step + 1; l.recycle > 0 && done%int64(l.recycle) == 0 {
		err = l.recycleUnits(done)
	}
	return losses, err
}

// recycleUnits gives fresh weights to the dormant units after a number of steps.
func (l *learner) recycleUnits(steps int64) error {
	state, err := l.State()
	if err != nil {
		return err
	}
	state = slices.Clone(state)
	for i := range state {
		state[i].Data = slices.Clone(state[i].Data)
	}
	if learn.Recycle(l.network, state, rand.New(rand.NewPCG(l.seed, recycleStream|uint64(steps)))) == 0 {
		return nil
	}
	return l.Restore(state)
}

// measure returns the mean losses on samples of w, a window of held-out games.
func (l *learner) measure(w *replay.Window) (mean learn.Losses, err error) {
	rng := rand.New(rand.NewPCG(l.seed, heldOutStream))
	for range (l.heldOut + l.BatchSize() - 1) / l.BatchSize() {
		b, err := l.minibatch.sample(w, rng)
		if err != nil {
			return mean, err
		}
		losses, err := l.Measure(b)
		if err != nil {
			return mean, fmt.Errorf("measuring the losses on held-out games: %w", err)
		}
		mean.Add(losses)
	}
	return mean, nil
}
