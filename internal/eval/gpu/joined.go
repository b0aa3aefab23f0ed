package gpu

import (
	"slices"

	"warren/internal/compute/kernels"
	"warren/net"
)

// joined is the usual heads, whose last layers are one launch: a policy with numbers for every square and
// for the board, and one or two chances.
type joined struct {
	features net.Value // what the policy reads: a first layer
	steps    net.Value // four numbers for each square
	other    net.Value // numbers from the means and maxima of the features
	chances  []chance
}

// chance is a head with one number, a product of hidden units, which are a product of a first layer.
type chance struct{ features, hidden, out net.Value }

// joinedOf returns the heads as such. It reports false if they have another form.
func joinedOf(p *net.Program, heads []net.Head, first *net.FirstLayers) (j joined, ok bool) {
	plain := func(v net.Value, k net.Kind, a net.Activation) bool {
		o := p.Op(v)
		return o.Kind == k && o.Activation == a && len(o.Operands()) == 1
	}
	policy := heads[0]
	if len(policy.Outputs) != 2 || policy.End-policy.First != 4 {
		return j, false
	}
	j.steps, j.other = policy.Outputs[0], policy.Outputs[1]
	if !plain(j.steps, net.Conv1x1, net.Linear) || !plain(j.other, net.Dense, net.Linear) || p.Op(j.steps).Channels != 4 || p.Op(j.other).Channels > 8 {
		return j, false
	}
	j.features = p.Op(j.steps).X
	pooled := p.Op(p.Op(j.other).X)
	column, ok := first.Columns[j.features]
	if channels := p.Op(j.features).Channels; !ok || column%4 != 0 || channels%4 != 0 || channels > 64 || !isPool(pooled) || pooled.X != j.features {
		return j, false
	}
	for _, h := range heads[1:] {
		if len(h.Outputs) != 1 || h.Size != 1 || h.End-h.First != 3 {
			return j, false
		}
		c := chance{out: h.Outputs[0]}
		c.hidden = p.Op(c.out).X
		if !plain(c.out, net.Dense, net.Linear) || !plain(c.hidden, net.Dense, net.ReLU) {
			return j, false
		}
		c.features = p.Op(c.hidden).X
		if _, ok := first.Columns[c.features]; !ok {
			return j, false
		}
		j.chances = append(j.chances, c)
	}
	return j, true
}

// join adds the heads, whose first layers' result is boards.
func (p *lowering) join(j joined, first *net.FirstLayers, boards activation) {
	stride, units := p.form.Channels(first.Width), 0
	for _, c := range j.chances {
		units += p.program.Op(c.hidden).Channels
	}
	hidden := p.activation(units * 4)
	weights, biases := make([]float32, 2*units), make([]float32, 2)
	at := 0
	for k, c := range j.chances {
		layer, o := p.program.Op(c.hidden).Layer, p.program.Op(c.features)
		p.dense(dense{
			Dense: kernels.Dense{
				XBoard: 64 * stride, XAt: first.Columns[c.features], Run: stride, Inner: o.Channels, Inputs: 64 * o.Channels,
				Rows: 1, YBoard: units, YAt: at, Relu: true,
			},
			stored: true, x: boards, y: hidden, w: p.network.Weight(layer), b: p.network.Bias(layer),
		})
		layer = p.program.Op(c.out).Layer
		for _, w := range p.network.Weight(layer) {
			weights[2*at+k] = w
			at++
		}
		biases[k] = p.network.Bias(layer)[0]
	}
	with := func(v net.Value) tensor {
		layer := p.program.Op(v).Layer
		return p.tensor(kernels.Floats(slices.Concat(p.network.Weight(layer), p.network.Bias(layer))))
	}
	steps, other, chances := with(j.steps), with(j.other), p.tensor(kernels.Floats(append(weights, biases...)))
	call, outputs := kernels.Heads{
		XBoard: 64 * stride, XAt: first.Columns[j.features], Run: stride, Channels: p.program.Op(j.features).Channels,
		Others: p.program.Op(j.other).Channels, Units: units, Chances: len(j.chances), YBoard: p.size,
	}, p.outputs
	p.run(1, 1, func(m memory) kernels.Call {
		k := call
		k.X, k.Hidden, k.Steps, k.Other, k.Chance, k.Y = boards.in(m), hidden.in(m), steps.in(m), other.in(m), chances.in(m), outputs.in(m)
		return k
	})
}
