package graph

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"warren/learn"
	"warren/net"
)

// Trainer trains a network with its graph and an optimiser.
type Trainer struct {
	network   *net.Network
	graph     *Graph
	optimizer learn.Optimizer
	average   *learn.Average
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
	o, err := learn.NewOptimizer(c.Optimizer, n.Params)
	if err != nil {
		return nil, errors.Join(err, g.Close())
	}
	return &Trainer{n, g, o, learn.NewAverage(c.Average, n.Params)}, nil
}

// BatchSize returns the number of positions in a batch.
func (t *Trainer) BatchSize() int { return t.graph.BatchSize() }

// Step updates the weights once.
func (t *Trainer) Step(b *learn.Batch, rate float64) (learn.Losses, error) {
	losses, err := t.graph.Gradients(b)
	if err != nil {
		return nil, err
	}
	if err := t.optimizer.Step(t.graph.Gradient, rate); err != nil {
		return losses, err
	}
	t.average.Step()
	return losses, nil
}

// Measure returns the losses of a batch.
func (t *Trainer) Measure(b *learn.Batch) (learn.Losses, error) { return t.graph.Losses(b) }

// Snapshot returns a copy of the network, with averaged weights if the settings
// ask for them.
func (t *Trainer) Snapshot() *net.Network {
	n := t.network.Clone()
	t.average.Into(n)
	return n
}

// State returns the weights, the optimiser's tensors and the averaged weights.
func (t *Trainer) State() []net.Tensor {
	return slices.Concat(t.network.Params, t.optimizer.State(), t.average.State())
}

// Restore copies a State into the trainer.
func (t *Trainer) Restore(state []net.Tensor) error {
	weights := map[string]net.Tensor{}
	var optimizer []net.Tensor
	for _, s := range state {
		switch {
		case t.network.Param(s.Name) != nil:
			weights[s.Name] = s
		case !strings.HasPrefix(s.Name, learn.AveragePrefix):
			optimizer = append(optimizer, s)
		}
	}
	for _, p := range t.network.Params {
		if len(weights[p.Name].Data) != len(p.Data) {
			return fmt.Errorf("the weights %q are missing or have the wrong size", p.Name)
		}
	}
	if err := t.average.Check(state); err != nil {
		return err
	}
	if err := t.optimizer.Restore(optimizer); err != nil {
		return err
	}
	for _, p := range t.network.Params {
		copy(p.Data, weights[p.Name].Data)
	}
	return t.average.Restore(state)
}

// Close releases the graph but not the network.
func (t *Trainer) Close() error { return t.graph.Close() }
