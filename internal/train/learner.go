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
	config      *recipe.Config // of its stage
	minibatches [2]*minibatch  // of steps with even and with odd numbers
	next        drawn          // for the step after the last, if it is known
	begun       int64          // steps of the run before its optimiser's first
}

// drawn is a batch with what its samples depend on.
type drawn struct {
	batch   *learn.Batch
	window  *replay.Window
	changes int // of the window
	step    int64
}

func newLearner(c *recipe.Config, n *net.Network, on *device.Choice) (*learner, error) {
	l := &learner{config: c}
	var err error
	for i := range l.minibatches {
		if l.minibatches[i], err = newMinibatch(c.Network, c.Learner.Batch); err != nil {
			return nil, err
		}
	}
	if l.Trainer, err = on.New(n, c.Learner); err != nil {
		return nil, err
	}
	return l, nil
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
	now := l.next
	if now.window != w || now.changes != w.Changes() || now.step != step {
		var err error
		if now, err = l.draw(w, step); err != nil {
			return nil, err
		}
	}
	l.next = drawn{}
	losses, err := learn.StepAhead(l.Trainer, now.batch, rate, func() *learn.Batch {
		l.next, _ = l.draw(w, step+1) // if it cannot be drawn, the next call says why
		return l.next.batch
	})
	if err != nil {
		return nil, fmt.Errorf("training step %d: %w", step, err)
	}
	every := int64(l.config.Learner.DormantResetInterval)
	if done := step + 1; every > 0 && (done-l.begun)%every == 0 { // a fresh optimiser knows no dormant units
		err = l.recycleUnits(done)
	}
	return losses, err
}

// draw draws the batch of a step.
func (l *learner) draw(w *replay.Window, step int64) (drawn, error) {
	d := drawn{nil, w, w.Changes(), step}
	var err error
	d.batch, err = l.minibatches[step%2].sample(w, rand.New(rand.NewPCG(l.config.Seed, trainStream|uint64(step))))
	if err != nil {
		return drawn{}, err
	}
	return d, nil
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
	if learn.Recycle(l.config.Network, state, rand.New(rand.NewPCG(l.config.Seed, recycleStream|uint64(steps)))) == 0 {
		return nil
	}
	return l.Restore(state)
}

// measure returns the mean losses on samples of w, a window of held-out games.
func (l *learner) measure(w *replay.Window) (mean learn.Losses, err error) {
	rng := rand.New(rand.NewPCG(l.config.Seed, heldOutStream))
	l.next = drawn{} // whose memory is used
	for range (l.config.Learner.HeldOut + l.BatchSize() - 1) / l.BatchSize() {
		b, err := l.minibatches[0].sample(w, rng)
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
