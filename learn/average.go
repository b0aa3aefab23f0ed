package learn

import (
	"fmt"

	"warren/net"
)

// AveragePrefix begins the names of averaged weights in a trainer's state.
const AveragePrefix = "average."

// Average keeps an exponential average of a network's weights over the training
// steps: iterate averaging (Polyak and Juditsky 1992; KataGo, Wu 2019, appendix C,
// averages the networks that play). Averages play better than the weights of any
// one step, whose noise they smooth.
type Average struct {
	decay   float64
	params  []net.Param
	weights []net.Tensor
	steps   int64 // taken into the average; 0 if it is the weights themselves
}

// NewAverage begins an average of params with a decay from 0 to below 1: the part
// that stays at each step. With a decay of 0 the average is the weights themselves,
// and keeps no memory.
func NewAverage(decay float64, params []net.Param) *Average {
	a := &Average{decay: decay, params: params}
	if decay > 0 {
		for _, p := range params {
			a.weights = append(a.weights, net.Tensor{Name: AveragePrefix + p.Name, Shape: p.Shape, Data: append([]float32(nil), p.Data...)})
		}
	}
	return a
}

// Step takes the present weights into the average. Early steps count more, so
// that the first weights are soon forgotten: step t has at least a part of
// 9/(10+t).
func (a *Average) Step() {
	keep := float32(min(a.decay, float64(1+a.steps)/float64(10+a.steps)))
	a.steps++
	for i, w := range a.weights {
		now := a.params[i].Data[:len(w.Data)]
		for j, v := range w.Data {
			w.Data[j] = now[j] + keep*(v-now[j])
		}
	}
}

// Into copies the average to the parameters of another network of the same
// architecture.
func (a *Average) Into(n *net.Network) {
	for i, w := range a.weights {
		copy(n.Params[i].Data, w.Data)
	}
}

// State is what the average depends on: none without a decay. The tensors are the
// average's own memory.
func (a *Average) State() []net.Tensor {
	if a.decay == 0 {
		return nil
	}
	return append(append([]net.Tensor(nil), a.weights...), counter(AveragePrefix+"steps", a.steps))
}

// Check reports the first tensor of a state that Restore could not take over.
func (a *Average) Check(state []net.Tensor) error {
	_, _, err := a.find(state)
	return err
}

// Restore takes over a copy of a State. Tensors with other names are left alone. A
// state without any average begins a new one at the present weights, so that a
// run can be given a decay later. The error names a tensor that does not fit, and
// nothing is changed.
func (a *Average) Restore(state []net.Tensor) error {
	weights, steps, err := a.find(state)
	if err != nil {
		return err
	}
	if weights == nil {
		*a = *NewAverage(a.decay, a.params)
		return nil
	}
	for i, w := range a.weights {
		copy(w.Data, weights[i].Data)
	}
	a.steps = steps
	return nil
}

// find looks the average up in a state; nil if the state has none, or none is
// wanted.
func (a *Average) find(state []net.Tensor) (weights []net.Tensor, steps int64, err error) {
	byName := map[string]net.Tensor{}
	for _, t := range state {
		byName[t.Name] = t
	}
	taken, ok := byName[AveragePrefix+"steps"]
	if !ok || a.decay == 0 {
		return nil, 0, nil
	}
	if steps, err = count(taken); err != nil {
		return nil, 0, fmt.Errorf("restoring the averaged weights: %w", err)
	}
	for _, w := range a.weights {
		t := byName[w.Name]
		if len(t.Data) != len(w.Data) {
			return nil, 0, fmt.Errorf("restoring the averaged weights: %s is missing or of another size", w.Name)
		}
		weights = append(weights, t)
	}
	return weights, steps, nil
}
