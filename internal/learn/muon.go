package learn

import (
	"math"

	"warren/internal/kernel"
	"warren/net"
)

// muon is Muon (Jordan et al. 2024, "Muon: an optimizer for hidden layers in neural
// networks"). The step of a weight matrix is its momentum with all singular values made
// about equal, so that rare directions of the gradient are learned as fast as frequent ones.
// A convolution is the matrix from the inputs of its window to its outputs. Biases, and
// matrices of a single output, are changed by AdamW.
//
// Steps are scaled to the usual size of Adam's (Liu et al. 2025, "Muon is scalable for LLM
// training", sec. 2.2), so that both take the same learning rates and weight decay.
type muon struct {
	*adam                        // whose mean is the momentum of a matrix
	flatten  map[int]*orthogonal // by parameter
	momentum float32
}

// usualStep is the root of the mean square of Adam's steps, as a part of the rate.
const usualStep = 0.2

func newMuon(c OptimizerConfig, params []net.Param) (*muon, error) {
	path, err := kernel.Chosen()
	if err != nil {
		return nil, err
	}
	o := &muon{newAdam(c, params), map[int]*orthogonal{}, float32(c.Momentum)}
	for i, p := range params {
		if rows, columns, ok := Flattened(p); ok {
			o.flatten[i] = newOrthogonal(path, rows, columns)
		}
	}
	return o, nil
}

// Flattened returns the size of the matrix that Muon makes of a parameter, whose elements are
// row by row. ok is false for a parameter that AdamW changes.
func Flattened(p net.Param) (rows, columns int, ok bool) {
	columns = p.Shape[len(p.Shape)-1]
	return len(p.Data) / columns, columns, len(p.Shape) > 1 && columns > 1
}

func (o *muon) Next(rate float64) Factors {
	f := o.adam.Next(rate)
	f.Momentum, f.Matrix = o.momentum, float32(rate*usualStep)
	return f
}

func (o *muon) Step(gradient func(i int) []float32, rate float64) error {
	return o.change(gradient, o.Next(rate), func(i int, p net.Param, g []float32, f Factors) {
		flat := o.flatten[i]
		if flat == nil {
			o.update(i, p, g, f)
			return
		}
		// Nesterov's form: the step looks one gradient ahead of the momentum.
		momentum := o.moments[0][i].Data[:len(g)]
		for j, v := range g {
			v *= f.Clip
			momentum[j] = settled(o.momentum*momentum[j]+v, faded)
			flat.set(j, v+o.momentum*momentum[j])
		}
		flat.iterate()
		step := float32(rate * usualStep * math.Sqrt(float64(max(flat.rows, flat.columns))))
		for j, w := range p.Data {
			p.Data[j] = f.Shrink*w - step*flat.at(j)
		}
	})
}
