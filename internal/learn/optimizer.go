package learn

import (
	"errors"
	"fmt"
	"math"

	"warren/net"
)

// OptimizerConfig configures how gradients change the weights.
type OptimizerConfig struct {
	Method      string  `yaml:"method" oneof:"adam muon sgd" doc:"adam: AdamW (Loshchilov and Hutter 2019); muon: matrices are changed by the nearest orthogonal matrix to their momentum (Jordan et al. 2024), everything else by adam; sgd: gradient descent with momentum (AlphaZero, Silver et al. 2018)" origin:"docs/research/optimisation.md#muon" change:"Use adam or sgd to compare with other trainers, with a rate of their own."`
	Momentum    float64 `yaml:"momentum" min:"0" max:"0.9999" doc:"sgd, muon: share of the momentum that each step keeps" origin:"Muon: 0.95 (AlphaZero: 0.9)" change:"Use 0.9 with sgd."`
	WeightDecay float64 `yaml:"weight_decay" min:"0" max:"1" doc:"L2 penalty on weights, but not on biases. sgd adds this times the weight to the gradient; adam shrinks the weight by this times the rate" origin:"AdamW: 1e-2 (AlphaZero: 1e-4)" change:"Use 1e-4 with sgd; raise it if the held-out loss is far above the training loss."`
	ClipNorm    float64 `yaml:"clip_norm" min:"0" max:"1000000" doc:"a gradient whose norm, over all parameters, is larger is scaled down to this norm (Pascanu et al. 2013); 0 means never" origin:"chosen by hand, not measured" change:"Lower it if the training diverges."`

	// Epsilon keeps adam's step finite where gradients vanish. Only tests change it.
	Epsilon float64 `yaml:"-"`
}

// The decays of the running means of adam's gradient and of its square, as published (Kingma and Ba
// 2015), and so is the default of Epsilon.
const beta1, beta2 = 0.9, 0.999

// defaultOptimizerConfig returns the settings of the recipe.
func defaultOptimizerConfig() OptimizerConfig {
	return OptimizerConfig{
		Method:      Muon,
		Momentum:    0.95,
		WeightDecay: 1e-2,
		ClipNorm:    5,
		Epsilon:     1e-8,
	}
}

// The values of OptimizerConfig.Method.
const (
	Adam = "adam"
	Muon = "muon"
	SGD  = "sgd"
)

// ErrDiverged is returned by Step if a gradient is not finite. The parameters and
// the optimiser's state are then unchanged.
var ErrDiverged = errors.New("the gradient is not finite; lower the learning rate or the norm that gradients are clipped to")

// Optimizer updates the parameters that it was made for from their gradients.
type Optimizer interface {
	// Step makes one update at the given learning rate. gradient(i) returns the
	// gradient with respect to parameter i, which Step does not change.
	Step(gradient func(i int) []float32, rate float64) error

	// Next returns the factors of the next update. Clip is the largest norm of its gradient, 0 for
	// any. A trainer that keeps parameters and moments elsewhere calls it and Count instead of Step.
	Next(rate float64) Factors

	// Count counts a step whose gradient has the given norm.
	Count(norm float64) error

	// Share divides later steps by parameter, with each. It does not change a bit of them.
	Share(each Each)

	// State returns everything that later steps depend on, except the parameters.
	// The names begin with "optimizer.". The moments share the optimiser's memory:
	// save or copy them before the next step.
	State() []net.Tensor

	// Restore copies a State of the same method and parameters. Later steps are
	// then the same, bit for bit, as after that State. If a tensor is missing,
	// unknown or has the wrong shape, the error names it and nothing is changed.
	Restore([]net.Tensor) error
}

// Factors are the numbers of an update, apart from the parameters, moments and gradient.
type Factors struct {
	Clip     float32 // the largest norm of the gradient, 0 for any; in an update, what multiplies the gradient
	Keep1    float32 // the part of the momentum, or of the mean, that the step keeps
	Add1     float32 // adam: multiplies what is added to the mean
	Keep2    float32 // adam: the part of the variance that the step keeps
	Add2     float32 // adam: multiplies what is added to the variance
	Rate     float32 // multiplies the step
	Epsilon  float32 // adam: is added to the root of the variance
	Shrink   float32 // adam: multiplies the parameters that decay
	Decay    float32 // sgd: the parameters that decay add this part of them to the gradient
	Momentum float32 // muon: the part of a matrix's momentum that the step keeps
	Matrix   float32 // muon: multiplies the step of a matrix, and so does the root of its longer side
}

// Decays reports whether a parameter has weight decay. Biases have none: they are too few to
// overfit (Goodfellow et al. 2016, "Deep learning", sec. 7.1).
func Decays(p net.Param) bool { return len(p.Shape) >= 2 }

// NewOptimizer returns an optimiser that changes params in place.
func NewOptimizer(c OptimizerConfig, params []net.Param) (Optimizer, error) {
	switch c.Method {
	case SGD:
		return &sgd{descent: newDescent(c, params, "momentum")}, nil
	case Adam:
		return newAdam(c, params), nil
	case Muon:
		return newMuon(c, params)
	}
	return nil, fmt.Errorf("optimizer.method is %q, want %q, %q or %q", c.Method, Adam, Muon, SGD)
}

// descent holds what the optimisers have in common: the parameters, their moments
// and the step counter.
type descent struct {
	config  OptimizerConfig
	params  []net.Param
	moments [][]net.Tensor // [kind][param]
	steps   int64
	each    Each // divides a step by parameter
}

func newDescent(c OptimizerConfig, params []net.Param, kinds ...string) descent {
	d := descent{config: c, params: params, each: inTurn}
	for _, kind := range kinds {
		moments := make([]net.Tensor, len(params))
		for i, p := range params {
			moments[i] = net.Tensor{Name: optimizerPrefix + kind + "." + p.Name, Shape: p.Shape, Data: make([]float32, len(p.Data))}
		}
		d.moments = append(d.moments, moments)
	}
	return d
}

// measure returns the norm of a gradient.
func (d *descent) measure(gradient func(i int) []float32) (float64, error) {
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
	return math.Sqrt(sum), nil
}

func (d *descent) Share(each Each) { d.each = each }

func (d *descent) Count(norm float64) error {
	if math.IsNaN(norm) || math.IsInf(norm, 0) {
		return ErrDiverged
	}
	d.steps++
	return nil
}

// clip returns the factor that clips a gradient.
func (d *descent) clip(norm float64) float32 {
	if most := d.config.ClipNorm; most > 0 && norm > most {
		return float32(most / norm)
	}
	return 1
}

// sgd is gradient descent with momentum (Sutskever et al. 2013): a step sets the
// momentum m to momentum*m + g and subtracts rate*m from the parameter.
type sgd struct{ descent }

func (o *sgd) Next(rate float64) Factors {
	c := o.config
	return Factors{Clip: float32(c.ClipNorm), Keep1: float32(c.Momentum), Rate: float32(rate), Decay: float32(c.WeightDecay)}
}

func (o *sgd) Step(gradient func(i int) []float32, rate float64) error {
	norm, err := o.measure(gradient)
	if err != nil {
		return err
	}
	f := o.Next(rate)
	if err := o.Count(norm); err != nil {
		return err
	}
	clip, keep, step := o.clip(norm), f.Keep1, f.Rate
	o.each(len(o.params), func(i int) {
		p, g, decay := o.params[i], gradient(i), float32(0)
		if Decays(p) {
			decay = f.Decay
		}
		w, m := p.Data[:len(g)], o.moments[0][i].Data[:len(g)]
		for j, v := range g {
			m[j] = keep*m[j] + (clip*v + decay*w[j])
			w[j] -= step * m[j]
		}
	})
	return nil
}

// adam is Adam (Kingma and Ba 2015, algorithm 1) with the weight decay of AdamW
// (Loshchilov and Hutter 2019), which is separate from the moments and scaled by
// the rate.
type adam struct{ descent }

func newAdam(c OptimizerConfig, params []net.Param) *adam {
	return &adam{newDescent(c, params, "mean", "variance")}
}

func (o *adam) Next(rate float64) Factors {
	c, t := o.config, float64(o.steps+1)
	// Bias corrections, because the moments begin at zero.
	root := math.Sqrt(1 - math.Pow(beta2, t))
	return Factors{
		Clip:  float32(c.ClipNorm),
		Keep1: beta1, Add1: 1 - beta1,
		Keep2: beta2, Add2: 1 - beta2,
		Rate:    float32(rate * root / (1 - math.Pow(beta1, t))),
		Epsilon: float32(c.Epsilon * root),
		Shrink:  float32(1 - rate*c.WeightDecay),
	}
}

func (o *adam) Step(gradient func(i int) []float32, rate float64) error {
	return o.change(gradient, o.Next(rate), o.update)
}

// change makes one step, in which update changes each parameter.
func (o *adam) change(gradient func(i int) []float32, f Factors, update func(i int, p net.Param, g []float32, f Factors)) error {
	norm, err := o.measure(gradient)
	if err != nil {
		return err
	}
	if err := o.Count(norm); err != nil {
		return err
	}
	f.Clip = o.clip(norm)
	o.each(len(o.params), func(i int) { update(i, o.params[i], gradient(i), f) })
	return nil
}

// faded is the size of a moment that no longer matters. The moments of a unit that is never
// active shrink with every step, and processors take a hundred times as long over numbers
// below 1e-38.
const faded = 1e-16

// settled returns v, or 0 if it is smaller than least.
func settled(v, least float32) float32 {
	if -least < v && v < least {
		return 0
	}
	return v
}

// update changes parameter i, p, whose gradient is g.
func (o *adam) update(i int, p net.Param, g []float32, f Factors) {
	clip, step, epsilon, shrink := f.Clip, f.Rate, f.Epsilon, float32(1)
	if Decays(p) {
		shrink = f.Shrink
	}
	w, mean, variance := p.Data[:len(g)], o.moments[0][i].Data[:len(g)], o.moments[1][i].Data[:len(g)]
	for j, v := range g {
		v *= clip
		m := f.Keep1*mean[j] + f.Add1*v
		s := f.Keep2*variance[j] + f.Add2*v*v
		mean[j], variance[j] = settled(m, faded), settled(s, faded*faded)
		w[j] = shrink*w[j] - step*m/(float32(math.Sqrt(float64(s)))+epsilon)
	}
}
