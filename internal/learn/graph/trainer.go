package graph

import (
	"errors"
	"runtime"

	"warren/internal/learn"
	"warren/net"
)

// Trainer trains a network with its graph and an optimiser.
type Trainer struct {
	graph *Graph
	state *learn.State
}

var _ learn.Trainer = (*Trainer)(nil)

// New returns a trainer that changes the parameters of n in place. It uses all
// processors (GOMAXPROCS).
func New(n *net.Network, c learn.Config) (*Trainer, error) {
	return NewWorkers(n, c, runtime.GOMAXPROCS(0))
}

// NewWorkers is like New with the given number of goroutines, at least 1. The
// number does not change the steps by a single bit.
func NewWorkers(n *net.Network, c learn.Config, workers int) (*Trainer, error) {
	weights, err := c.Weights(n.Config.Heads())
	if err != nil {
		return nil, err
	}
	g, err := NewGraphWorkers(n, c.Batch, workers)
	if err != nil {
		return nil, err
	}
	copy(g.LossWeights, weights)
	s, err := learn.NewState(n, c)
	if err != nil {
		return nil, errors.Join(err, g.Close())
	}
	s.Share(func(n int, do func(item int)) { g.workers.Each(n, func(_, item int) { do(item) }) })
	return &Trainer{g, s}, nil
}

// BatchSize returns the number of positions in a batch.
func (t *Trainer) BatchSize() int { return t.graph.BatchSize() }

// Step updates the weights once.
func (t *Trainer) Step(b *learn.Batch, rate float64) (learn.Losses, error) {
	losses, err := t.graph.Gradients(b)
	if err != nil {
		return nil, err
	}
	if err := t.state.Optimizer.Step(t.graph.Gradient, rate); err != nil {
		return losses, err
	}
	t.state.Average.Step()
	return losses, nil
}

// Measure returns the losses of a batch.
func (t *Trainer) Measure(b *learn.Batch) (learn.Losses, error) { return t.graph.Losses(b) }

// Snapshot returns a copy of the network, with averaged weights if the settings
// ask for them.
func (t *Trainer) Snapshot() (*net.Network, error) { return t.state.Snapshot(), nil }

// State returns the weights, the optimiser's tensors and the averaged weights.
func (t *Trainer) State() ([]net.Tensor, error) { return t.state.Tensors(), nil }

// Restore copies a State into the trainer.
func (t *Trainer) Restore(state []net.Tensor) error { return t.state.Restore(state) }

// Close releases the graph but not the network.
func (t *Trainer) Close() error { return t.graph.Close() }
