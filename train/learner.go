package train

import (
	"fmt"
	"math/rand/v2"

	"warren/data"
	"warren/learn"
	"warren/learn/device"
	"warren/net"
	"warren/settings"
)

// learner feeds a trainer with samples of the replay window.
type learner struct {
	learn.Trainer
	seed      uint64
	heldOut   int // samples per measurement
	minibatch *minibatch
}

func newLearner(c *settings.Config, n *net.Network, on *device.Choice) (*learner, error) {
	batch, err := newMinibatch(c.Network, c.Learner.Batch)
	if err != nil {
		return nil, err
	}
	trainer, err := on.New(n, c.Learner)
	if err != nil {
		return nil, err
	}
	return &learner{trainer, c.Seed, c.Learner.HeldOut, batch}, nil
}

// Streams of random numbers for the learner and the choice of opponents, separate
// from those of games and matches.
const (
	opponentStream = 1 << 61
	trainStream    = 1 << 62
	heldOutStream  = 1 << 63
)

// train makes one step on a minibatch. The choice of samples depends only on the
// seed, the step's number and the window.
func (l *learner) train(w *data.Window, step int64, rate float64) (learn.Losses, error) {
	b, err := l.minibatch.sample(w, rand.New(rand.NewPCG(l.seed, trainStream|uint64(step))))
	if err != nil {
		return nil, err
	}
	losses, err := l.Step(b, rate)
	if err != nil {
		return nil, fmt.Errorf("training step %d: %w", step, err)
	}
	return losses, nil
}

// measure returns the mean losses on samples of w, a window of held-out games.
func (l *learner) measure(w *data.Window) (mean learn.Losses, err error) {
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
