package gpu

import (
	"fmt"
	"slices"

	"warren/internal/compute/kernels"
	"warren/net"
)

// trunk adds the operations of the trunk, which read encoded positions. It returns the place
// of their result.
func (p *lowering) trunk(encoded activation) (activation, error) {
	slots, of := p.program.Slots(false)
	activations := slices.Repeat([]activation{none}, len(slots))
	at := func(v net.Value) activation {
		switch v {
		case net.None:
			return none
		case net.Input:
			return encoded
		}
		a := &activations[of[v]]
		if *a == none {
			*a = p.result(slots[of[v]])
		}
		return *a
	}
	last := p.program.Trunk
	all, _ := blocksOf(p.program)
	if p.hasTower() {
		last = all.input
	}
	for v := net.Input + 1; v <= last; v++ {
		o := p.program.Op(v)
		switch {
		case o.Kind == net.Conv3x3 && o.Activation == net.ReLU && (o.RowBias == net.None || p.program.BiasOf(o.RowBias) == v):
			p.conv(convolution{
				shape: kernels.ConvShape{In: p.program.Op(o.X).Channels, Out: o.Channels, Taps: 9},
				w:     p.network.Weight(o.Layer), b: p.network.Bias(o.Layer),
				x: at(o.X), y: at(v), rowBias: at(o.RowBias), residual: at(o.Residual),
			})
		case isPool(o):
			p.pool(at(o.X), at(v), p.form.Channels(p.program.Op(o.X).Channels))
		case o.Kind == net.Dense && isProduct(o) && !p.program.Op(o.X).Board:
			p.rowProduct(v, at(o.X), at(v))
		default:
			return 0, fmt.Errorf("no kernel computes operation %d of the network", v)
		}
	}
	if p.hasTower() {
		p.blocks(all, at(last))
	}
	return at(last), nil
}

// result returns a place for the result of an operation.
func (p *lowering) result(s net.Slot) activation {
	channels := p.form.Channels(s.Channels)
	if s.Board {
		return p.activation(64 * channels * p.form.Size())
	}
	return p.activation(2 * channels * 4)
}

// rowProduct adds a product with a row. If the result is the bias of a convolution, it includes the
// convolution's own bias.
func (p *lowering) rowProduct(v net.Value, x, y activation) {
	o, read := p.program.Op(v), p.program.Op(p.program.Op(v).X)
	in, runs, bias := read.Channels, 1, p.network.Bias(o.Layer)
	if read.Kind == net.Pool {
		in, runs = in/2, 2 // the maxima begin after the padding of the means
	}
	if of := p.program.BiasOf(v); of != net.None {
		bias = sum(p.network.Bias(p.program.Op(of).Layer), bias)
	}
	run, out := p.form.Channels(in), p.form.Channels(o.Channels)
	p.dense(dense{
		Dense: kernels.Dense{XBoard: runs * run, Run: run, Inner: in, Inputs: runs * in, Rows: 1, YBoard: out, Relu: o.Activation == net.ReLU},
		w:     widened(p.network.Weight(o.Layer), o.Channels, out),
		b:     widened(bias, o.Channels, out),
		x:     x, y: y,
	})
}
