package learn

import (
	"errors"
	"fmt"
	"math"

	"warren/net"
)

// OptimizerConfig says how gradients change the weights.
type OptimizerConfig struct {
	Method      string  `yaml:"method" oneof:"adam sgd" doc:"adam: AdamW (Loshchilov and Hutter 2019); sgd: gradient descent with momentum (AlphaZero, Silver et al. 2018)"`
	Momentum    float64 `yaml:"momentum" min:"0" max:"0.9999" doc:"sgd: share of the last step that is kept (AlphaZero: 0.9)"`
	Beta1       float64 `yaml:"beta1" min:"0" max:"0.9999" doc:"adam: decay of the gradient's running mean (Kingma and Ba 2015: 0.9)"`
	Beta2       float64 `yaml:"beta2" min:"0" max:"0.999999" doc:"adam: decay of the squared gradient's running mean (Kingma and Ba 2015: 0.999)"`
	Epsilon     float64 `yaml:"epsilon" min:"1e-12" max:"1" doc:"adam: keeps the step finite where gradients vanish (Kingma and Ba 2015: 1e-8)"`
	WeightDecay float64 `yaml:"weight_decay" min:"0" max:"1" doc:"L2 penalty on weights, biases excepted. sgd adds it times the weight to the gradient (AlphaZero: 1e-4); adam shrinks the weight by rate times it (AdamW: 1e-2)"`
	ClipNorm    float64 `yaml:"clip_norm" min:"0" max:"1000000" doc:"gradients of a larger norm, all parameters together, are scaled down to it (Pascanu et al. 2013); 0 never"`
}

// DefaultOptimizerConfig returns the settings that a preset starts from.
func DefaultOptimizerConfig() OptimizerConfig {
	return OptimizerConfig{
		Method:      Adam,
		Momentum:    0.9,
		Beta1:       0.9,
		Beta2:       0.999,
		Epsilon:     1e-8,
		WeightDecay: 1e-2,
		ClipNorm:    5,
	}
}

// The words of OptimizerConfig.Method.
const (
	Adam = "adam"
	SGD  = "sgd"
)

// ErrDiverged is what Step returns when a gradient is not a finite number. The
// parameters and the optimiser's state are then as they were.
var ErrDiverged = errors.New("the gradient is not finite; lower the learning rate or the gradient norm it is clipped to")

// Optimizer changes the parameters it was made for by their gradients.
type Optimizer interface {
	// Step makes one update at a learning rate; gradient(i) is the gradient by
	// parameter i and is not changed.
	Step(gradient func(i int) []float32, rate float64) error

	// GradientNorm is the norm of the last step's gradient over all parameters
	// together, before clipping and weight decay.
	GradientNorm() float64

	// Steps is how many updates were made, those before a Restore included.
	Steps() int64

	// State is all that the next steps depend on, apart from the parameters.
	// Names begin with "optimizer.". The moments are the optimiser's own memory,
	// so save or copy them before the next step.
	State() []net.Tensor

	// Restore takes over a copy of a State of the same method and parameters;
	// steps then go on bit for bit as they would have. The error names the tensor
	// that is missing, of another shape or not a state's, and nothing is changed.
	Restore([]net.Tensor) error
}

// NewOptimizer makes an optimiser of params, which it changes in place.
func NewOptimizer(c OptimizerConfig, params []net.Param) (Optimizer, error) {
	switch c.Method {
	case SGD:
		return &sgd{descent: newDescent(c, params, "momentum")}, nil
	case Adam:
		return &adam{descent: newDescent(c, params, "mean", "variance")}, nil
	}
	return nil, fmt.Errorf("optimizer.method is %q, want %q or %q", c.Method, Adam, SGD)
}

// descent is what the optimisers have in common: parameters, their moments and
// the step counter.
type descent struct {
	config  OptimizerConfig
	params  []net.Param
	kinds   []string       // names of the moments
	moments [][]net.Tensor // [kind][param]
	steps   int64
	norm    float64
}

func newDescent(c OptimizerConfig, params []net.Param, kinds ...string) descent {
	d := descent{config: c, params: params, kinds: kinds}
	for _, kind := range kinds {
		moments := make([]net.Tensor, len(params))
		for i, p := range params {
			moments[i] = net.Tensor{Name: "optimizer." + kind + "." + p.Name, Shape: p.Shape, Data: make([]float32, len(p.Data))}
		}
		d.moments = append(d.moments, moments)
	}
	return d
}

func (d *descent) GradientNorm() float64 { return d.norm }
func (d *descent) Steps() int64          { return d.steps }

// begin counts a step and returns the factor that clips its gradient.
func (d *descent) begin(gradient func(i int) []float32) (float32, error) {
	sum := 0.0
	for i, p := range d.params {
		g := gradient(i)
		if len(g) != len(p.Data) {
			return 0, fmt.Errorf("the gradient of %s has %d numbers, want %d", p.Name, len(g), len(p.Data))
		}
		for _, v := range g {
			sum += float64(v) * float64(v)
		}
	}
	norm := math.Sqrt(sum)
	if math.IsNaN(norm) || math.IsInf(norm, 0) {
		return 0, ErrDiverged
	}
	d.norm = norm
	d.steps++
	if clip := d.config.ClipNorm; clip > 0 && norm > clip {
		return float32(clip / norm), nil
	}
	return 1, nil
}

// decay is the weight decay of parameter i. Biases are left alone: they have
// too little to overfit with (Goodfellow et al. 2016, "Deep learning", sec. 7.1).
func (d *descent) decay(i int) float64 {
	if len(d.params[i].Shape) < 2 {
		return 0
	}
	return d.config.WeightDecay
}

// sgd is gradient descent with momentum (Sutskever et al. 2013): the momentum m
// becomes momentum*m + g, the parameter falls by rate*m.
type sgd struct{ descent }

func (o *sgd) Step(gradient func(i int) []float32, rate float64) error {
	clip, err := o.begin(gradient)
	if err != nil {
		return err
	}
	keep, step := float32(o.config.Momentum), float32(rate)
	for i, p := range o.params {
		g, decay := gradient(i), float32(o.decay(i))
		w, m := p.Data[:len(g)], o.moments[0][i].Data[:len(g)]
		for j, v := range g {
			m[j] = keep*m[j] + (clip*v + decay*w[j])
			w[j] -= step * m[j]
		}
	}
	return nil
}

// adam is Adam (Kingma and Ba 2015, algorithm 1) with the weight decay of AdamW
// (Loshchilov and Hutter 2019): apart from the moments, and times the rate.
type adam struct{ descent }

func (o *adam) Step(gradient func(i int) []float32, rate float64) error {
	clip, err := o.begin(gradient)
	if err != nil {
		return err
	}
	c, t := o.config, float64(o.steps)
	keep1, keep2 := float32(c.Beta1), float32(c.Beta2)
	add1, add2 := float32(1-c.Beta1), float32(1-c.Beta2)
	// The corrections for moments that began at zero.
	root := math.Sqrt(1 - math.Pow(c.Beta2, t))
	step := float32(rate * root / (1 - math.Pow(c.Beta1, t)))
	epsilon := float32(c.Epsilon * root)
	for i, p := range o.params {
		g, shrink := gradient(i), float32(1-rate*o.decay(i))
		w, mean, variance := p.Data[:len(g)], o.moments[0][i].Data[:len(g)], o.moments[1][i].Data[:len(g)]
		for j, v := range g {
			v *= clip
			m := keep1*mean[j] + add1*v
			s := keep2*variance[j] + add2*v*v
			mean[j], variance[j] = m, s
			w[j] = shrink*w[j] - step*m/(float32(math.Sqrt(float64(s)))+epsilon)
		}
	}
	return nil
}
