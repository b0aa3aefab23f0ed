package learn

import (
	"fmt"
	"slices"
	"strings"

	"warren/net"
)

// State is everything that later steps and snapshots of a trainer depend on, in the memory of
// the host.
type State struct {
	Network   *net.Network
	Optimizer Optimizer
	Average   *Average
}

// NewState returns the state of a trainer that has not yet made a step. It shares the
// parameters of n.
func NewState(n *net.Network, c Config) (*State, error) {
	o, err := NewOptimizer(c.Optimizer, n.Params)
	if err != nil {
		return nil, err
	}
	return &State{n, o, NewAverage(c.EMADecay, n.Params)}, nil
}

// Share divides later steps of the optimiser and the average by parameter, with each. It does not
// change a bit of them.
func (s *State) Share(each Each) {
	s.Optimizer.Share(each)
	s.Average.Share(each)
}

// Snapshot returns a copy of the network, with averaged weights if the settings ask for them.
func (s *State) Snapshot() *net.Network {
	n := s.Network.Clone()
	s.Average.Into(n)
	return n
}

// Tensors returns the weights, the optimiser's tensors and the averaged weights. They share
// the state's memory.
func (s *State) Tensors() []net.Tensor {
	return slices.Concat(s.Network.Params, s.Optimizer.State(), s.Average.State())
}

// Restore copies the Tensors of a state with the same settings and architecture. If one is
// missing or does not fit, the error names it and nothing is changed.
func (s *State) Restore(tensors []net.Tensor) error {
	weights := map[string]net.Tensor{}
	var optimizer []net.Tensor
	for _, t := range tensors {
		switch {
		case s.Network.Param(t.Name) != nil:
			weights[t.Name] = t
		case !strings.HasPrefix(t.Name, AveragePrefix):
			optimizer = append(optimizer, t)
		}
	}
	for _, p := range s.Network.Params {
		if len(weights[p.Name].Data) != len(p.Data) {
			return fmt.Errorf("the weights %q are missing or have the wrong size", p.Name)
		}
	}
	if err := s.Average.Check(tensors); err != nil {
		return err
	}
	if err := s.Optimizer.Restore(optimizer); err != nil {
		return err
	}
	for _, p := range s.Network.Params {
		copy(p.Data, weights[p.Name].Data)
	}
	return s.Average.Restore(tensors)
}
