package graph

import (
	"errors"
	"fmt"
	"runtime"

	"warren/learn"
	"warren/net"
)

// Trainer trains a network by its graph and an optimiser.
type Trainer struct {
	network   *net.Network
	graph     *Graph
	optimizer learn.Optimizer
}

var _ learn.Trainer = (*Trainer)(nil)

// New makes a trainer of n, whose parameters it changes in place. It uses all
// processors (GOMAXPROCS).
func New(n *net.Network, c learn.Config) (*Trainer, error) {
	return NewWorkers(n, c, runtime.GOMAXPROCS(0))
}

// NewWorkers is New with a number of goroutines, at least 1. The steps are the
// same, bit for bit, whatever the number.
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
	return &Trainer{n, g, o}, nil
}

// BatchSize is the number of positions of a batch.
func (t *Trainer) BatchSize() int { return t.graph.BatchSize() }

// Step makes one update of the weights.
func (t *Trainer) Step(b *learn.Batch, rate float64) (learn.Losses, error) {
	losses, err := t.graph.Gradients(b)
	if err != nil {
		return nil, err
	}
	return losses, t.optimizer.Step(t.graph.Gradient, rate)
}

// Measure returns the losses of a batch.
func (t *Trainer) Measure(b *learn.Batch) (learn.Losses, error) { return t.graph.Losses(b) }

// Snapshot returns a copy of the network.
func (t *Trainer) Snapshot() *net.Network { return t.network.Clone() }

// State returns the weights and the optimiser's tensors.
func (t *Trainer) State() []net.Tensor {
	var all []net.Tensor
	all = append(all, t.network.Params...)
	return append(all, t.optimizer.State()...)
}

// Restore takes over a copy of a State.
func (t *Trainer) Restore(state []net.Tensor) error {
	byName := map[string]net.Tensor{}
	for _, s := range state {
		byName[s.Name] = s
	}
	for _, p := range t.network.Params {
		s, ok := byName[p.Name]
		if !ok || len(s.Data) != len(p.Data) {
			return fmt.Errorf("the weights %q are missing or of another size", p.Name)
		}
		delete(byName, p.Name)
	}
	var moments []net.Tensor
	for _, s := range state {
		if _, ok := byName[s.Name]; ok {
			moments = append(moments, s)
		}
	}
	if err := t.optimizer.Restore(moments); err != nil {
		return err
	}
	for _, s := range state {
		if p := t.network.Param(s.Name); p != nil {
			copy(p.Data, s.Data)
		}
	}
	return nil
}

// Close releases the graph. The network stays.
func (t *Trainer) Close() error { return t.graph.Close() }
