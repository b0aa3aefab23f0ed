package learn

import (
	"fmt"

	"warren/net"
)

// AveragePrefix begins the names of averaged weights in a trainer's state.
const AveragePrefix = "average."

// Average keeps an exponential moving average of a network's weights over the
// training steps: iterate averaging (Polyak and Juditsky 1992; KataGo, Wu 2019,
// appendix C, averages the networks that play). The average smooths the noise of
// single steps; no effect on strength was seen (docs/research/targets.md#factorial).
type Average struct {
	decay   float64
	params  []net.Param
	weights []net.Tensor
	steps   int64 // steps averaged
	each    Each  // divides a step by parameter
}

// NewAverage begins an average of params. The decay, at least 0 and below 1, is
// the part of the average that each step keeps. With a decay of 0 the average is
// the weights themselves and takes no memory.
func NewAverage(decay float64, params []net.Param) *Average {
	a := &Average{decay: decay, params: params, each: inTurn}
	if decay > 0 {
		for _, p := range params {
			a.weights = append(a.weights, net.Tensor{Name: AveragePrefix + p.Name, Shape: p.Shape, Data: append([]float32(nil), p.Data...)})
		}
	}
	return a
}

// Next returns the part of the average that the next step keeps. A trainer that keeps the
// average elsewhere calls it and Count instead of Step. Early steps count more, so the
// initial weights are soon forgotten: step t, from 0, has a share of at least
// 9/(10+t).
func (a *Average) Next() (keep float32) {
	return float32(min(a.decay, float64(1+a.steps)/float64(10+a.steps)))
}

// Count counts a step.
func (a *Average) Count() { a.steps++ }

// Share divides later steps by parameter, with each.
func (a *Average) Share(each Each) { a.each = each }

// Step adds the current weights to the average.
func (a *Average) Step() {
	keep := a.Next()
	a.Count()
	a.each(len(a.weights), func(i int) {
		average := a.weights[i].Data
		now := a.params[i].Data[:len(average)]
		for j, v := range average {
			average[j] = now[j] + keep*(v-now[j])
		}
	})
}

// Into copies the average to n, a copy of the network. Without a decay it leaves
// n unchanged.
func (a *Average) Into(n *net.Network) {
	for i, w := range a.weights {
		copy(n.Params[i].Data, w.Data)
	}
}

// State returns the tensors that a checkpoint must keep, none without a decay.
// They share the average's memory.
func (a *Average) State() []net.Tensor {
	if a.decay == 0 {
		return nil
	}
	return append(append([]net.Tensor(nil), a.weights...), counter(AveragePrefix+"steps", a.steps))
}

// Check returns the error that Restore would return.
func (a *Average) Check(state []net.Tensor) error {
	_, _, err := a.find(state)
	return err
}

// Restore copies a State into the average. It ignores tensors with other names. If
// the state has no average, Restore begins a new one at the current weights, so a
// run can be given a decay later. If a tensor is missing or does not fit, the
// error names it and nothing is changed.
func (a *Average) Restore(state []net.Tensor) error {
	weights, steps, err := a.find(state)
	if err != nil {
		return err
	}
	if weights == nil {
		each := a.each
		*a = *NewAverage(a.decay, a.params)
		a.Share(each)
		return nil
	}
	for i, w := range a.weights {
		copy(w.Data, weights[i].Data)
	}
	a.steps = steps
	return nil
}

// find returns the average in a state. The weights are nil if the state has no
// average or the decay is 0.
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
			return nil, 0, fmt.Errorf("restoring the averaged weights: %s is missing or has the wrong size", w.Name)
		}
		weights = append(weights, t)
	}
	return weights, steps, nil
}
