package learn

import (
	"errors"
	"math"

	"warren/net"
)

// ErrLost is wrapped by the errors of a trainer whose device no longer works. It can only be
// closed. Another trainer can continue from its last State.
var ErrLost = errors.New("the learner has lost its device")

// Trainer trains one network on batches of one size. Only one goroutine may use it
// at a time.
type Trainer interface {
	// BatchSize returns the number of positions in a batch.
	BatchSize() int

	// Step updates the weights once from a batch, at the given learning rate, and
	// returns the losses before the update. It fails if the batch is invalid, with
	// ErrDiverged, or with ErrLost; in the first two cases the weights are unchanged.
	Step(b *Batch, rate float64) (Losses, error)

	// Measure returns the losses of a batch without training on it.
	Measure(b *Batch) (Losses, error)

	// Snapshot returns a copy of the network for play, with averaged weights if
	// Config.EMADecay asks for them. The only error is ErrLost.
	Snapshot() (*net.Network, error)

	// State returns everything that later steps and snapshots depend on: the
	// weights, the optimiser's tensors, whose names begin with "optimizer.", and
	// the averaged weights, whose names begin with AveragePrefix. The tensors may
	// share the trainer's memory: save or copy them before the next step. The only
	// error is ErrLost.
	State() ([]net.Tensor, error)

	// Restore copies the State of a trainer with the same settings and
	// architecture. Later steps are then the same, bit for bit, as after that
	// State. If a tensor is missing or does not fit, the error names it and
	// nothing is changed.
	Restore([]net.Tensor) error

	// Close releases the trainer.
	Close() error
}

// StepAhead is t.Step. If the trainer has a device that computes by itself, it calls next meanwhile: the batch that next
// returns, or nil, is that of the following step, and the device can begin with it before the host knows the losses of
// this one. That batch must not be changed until the following step has ended. The following step may also have
// another batch, and makes the same weights in either case. A batch with other positions is another *Batch.
func StepAhead(t Trainer, b *Batch, rate float64, next func() *Batch) (Losses, error) {
	if a, ok := t.(interface {
		StepAhead(*Batch, float64, func() *Batch) (Losses, error)
	}); ok {
		return a.StepAhead(b, rate, next)
	}
	return t.Step(b, rate)
}

// Loss is the loss of one head, in nats.
type Loss struct {
	Head   string
	Mean   float64 // weighted mean over the positions; 0 if Weight is 0
	Weight float64 // sum of the positions' weights
}

// Losses holds the losses of all heads, in the order of the network's heads.
type Losses []Loss

// Add merges more losses of the same heads into the means. The receiver may be
// empty.
func (l *Losses) Add(more Losses) {
	if len(*l) == 0 {
		for _, m := range more {
			*l = append(*l, Loss{Head: m.Head})
		}
	}
	for i, m := range more {
		to := &(*l)[i]
		if weight := to.Weight + m.Weight; weight > 0 {
			to.Mean = (to.Mean*to.Weight + m.Mean*m.Weight) / weight
			to.Weight = weight
		}
	}
}

// Of returns the mean loss of a head. It is NaN if there is no such head or all
// positions have weight 0.
func (l Losses) Of(head string) float64 {
	for _, loss := range l {
		if loss.Head == head && loss.Weight > 0 {
			return loss.Mean
		}
	}
	return math.NaN()
}
