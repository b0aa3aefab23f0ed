package learn

import (
	"math"

	"warren/net"
)

// Trainer trains one network on batches of one size. It is for one goroutine at
// a time.
type Trainer interface {
	// BatchSize is the number of positions of a batch.
	BatchSize() int

	// Step makes one update of the weights by a batch, at a learning rate, and
	// returns the losses before it. The error says what is wrong with the batch,
	// or wraps ErrDiverged; the weights are then unchanged.
	Step(b *Batch, rate float64) (Losses, error)

	// Measure returns the losses of a batch and learns nothing.
	Measure(b *Batch) (Losses, error)

	// Snapshot returns a copy of the network as it is now.
	Snapshot() *net.Network

	// State is everything that the next steps depend on: the weights, and the
	// optimiser's tensors, whose names begin with "optimizer.". It may be the
	// trainer's own memory, so save or copy it before the next step.
	State() []net.Tensor

	// Restore takes over a copy of the State of a trainer with the same
	// settings and architecture. Steps then go on as they would have, bit for
	// bit. The error names the tensor that is missing or does not fit, and
	// nothing is changed.
	Restore([]net.Tensor) error

	// Close releases the trainer.
	Close() error
}

// Loss is the loss of one head, in nats.
type Loss struct {
	Head   string
	Mean   float64 // over the positions, by their weights; 0 without weight
	Weight float64 // sum of the positions' weights
}

// Losses are the losses of all heads, in the order of the network's heads.
type Losses []Loss

// Add takes further losses of the same heads into the means. The receiver may
// be empty.
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

// Of returns the mean loss of a head, NaN if no position had a weight.
func (l Losses) Of(head string) float64 {
	for _, loss := range l {
		if loss.Head == head && loss.Weight > 0 {
			return loss.Mean
		}
	}
	return math.NaN()
}
