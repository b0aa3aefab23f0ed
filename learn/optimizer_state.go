package learn

import (
	"fmt"
	"slices"

	"warren/net"
)

// stepsTensor holds the step counter as two numbers, the counter divided by
// stepsRadix and the rest: float32 is exact only so far.
const (
	stepsTensor = "optimizer.steps"
	stepsRadix  = 1 << 20
)

func (d *descent) State() []net.Tensor {
	steps := []float32{float32(d.steps / stepsRadix), float32(d.steps % stepsRadix)}
	return append(slices.Concat(d.moments...), net.Tensor{Name: stepsTensor, Shape: []int{2}, Data: steps})
}

func (d *descent) Restore(state []net.Tensor) error {
	mine := d.State()
	byName := make(map[string]net.Tensor, len(mine))
	for _, t := range mine {
		byName[t.Name] = t
	}
	given := make(map[string]net.Tensor, len(state))
	for _, t := range state {
		want, ok := byName[t.Name]
		if !ok {
			return fmt.Errorf("restoring the optimiser: %q is no part of the state of %s and this network", t.Name, d.config.Method)
		}
		if !slices.Equal(t.Shape, want.Shape) || len(t.Data) != len(want.Data) {
			return fmt.Errorf("restoring the optimiser: %s has shape %v, want %v", t.Name, t.Shape, want.Shape)
		}
		given[t.Name] = t
	}
	for _, t := range mine {
		if _, ok := given[t.Name]; !ok {
			return fmt.Errorf("restoring the optimiser: %s is missing", t.Name)
		}
	}
	steps := given[stepsTensor].Data
	for _, v := range steps {
		if !(v >= 0 && v < stepsRadix) || v != float32(int64(v)) {
			return fmt.Errorf("restoring the optimiser: %s is %v, not a step counter", stepsTensor, steps)
		}
	}
	d.steps = int64(steps[0])*stepsRadix + int64(steps[1])
	for _, moments := range d.moments {
		for _, t := range moments {
			copy(t.Data, given[t.Name].Data)
		}
	}
	return nil
}
