package learn

import (
	"fmt"
	"slices"

	"warren/net"
)

// optimizerPrefix begins the names of an optimiser's tensors.
const optimizerPrefix = "optimizer."

// stepsTensor holds the step counter.
const stepsTensor = optimizerPrefix + "steps"

func (d *descent) State() []net.Tensor {
	return append(slices.Concat(d.moments...), counter(stepsTensor, d.steps))
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
			return fmt.Errorf("restoring the optimiser: %q is not part of the state of %s for this network", t.Name, d.config.Method)
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
	steps, err := count(given[stepsTensor])
	if err != nil {
		return fmt.Errorf("restoring the optimiser: %w", err)
	}
	d.steps = steps
	for _, moments := range d.moments {
		for _, t := range moments {
			copy(t.Data, given[t.Name].Data)
		}
	}
	return nil
}
