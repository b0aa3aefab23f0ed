package gpu

import (
	"fmt"
	"slices"

	"warren/internal/compute/kernels"
	"warren/net"
)

// trunk adds the operations of the trunk, which read encoded positions. It returns the place
// of their result.
func (p *lowering) trunk(encoded room) (room, error) {
	slots, of := p.program.Slots(false)
	rooms := make([]room, len(slots))
	for i, s := range slots {
		channels := p.form.Channels(s.Channels)
		if s.Board {
			rooms[i] = p.room(64 * channels * p.form.Size())
		} else {
			rooms[i] = p.room(2 * channels * 4)
		}
	}
	at := func(v net.Value) room {
		switch v {
		case net.None:
			return none
		case net.Input:
			return encoded
		}
		return rooms[of[v]]
	}
	for v := net.Input + 1; v <= p.program.Trunk; v++ {
		o := p.program.Op(v)
		switch {
		case o.Kind == net.Conv && o.Activation == net.ReLU:
			p.conv(convolution{
				shape: kernels.ConvShape{In: p.program.Op(o.X).Channels, Out: o.Channels, Taps: 9},
				w:     p.network.Weight(o.Layer), b: p.network.Bias(o.Layer),
				x: at(o.X), y: at(v), rowBias: at(o.RowBias), residual: at(o.Residual),
			})
		case isPool(o):
			p.pool(at(o.X), at(v), p.form.Channels(p.program.Op(o.X).Channels))
		case p.isRowBias(v):
			p.rowBias(v, at(o.X), at(v))
		default:
			return 0, fmt.Errorf("no kernel computes operation %d of the network", v)
		}
	}
	return at(p.program.Trunk), nil
}

// isRowBias reports whether v is a product with pooled channels whose only use is to be added to a
// convolution.
func (p *lowering) isRowBias(v net.Value) bool {
	o := p.program.Op(v)
	reads := func(o net.Op) bool { return slices.Contains(o.Operands(), v) }
	reader := slices.IndexFunc(p.program.Ops, reads)
	return o.Kind == net.Dense && isProduct(o) && o.Activation == net.Linear && p.program.Op(o.X).Kind == net.Pool &&
		reader >= 0 && p.program.Ops[reader].RowBias == v && !slices.ContainsFunc(p.program.Ops[reader+1:], reads)
}

// rowBias adds the product of pooled channels that is a bias of a convolution. Its result includes
// the convolution's own bias.
func (p *lowering) rowBias(v net.Value, x, y room) {
	o := p.program.Op(v)
	reader := slices.IndexFunc(p.program.Ops, func(o net.Op) bool { return o.RowBias == v })
	own := p.network.Bias(p.program.Ops[reader].Layer)
	in := p.program.Op(o.X).Channels / 2
	run, out := p.form.Channels(in), p.form.Channels(o.Channels)
	p.dense(dense{
		Dense: kernels.Dense{XBoard: 2 * run, Run: run, Inner: in, Inputs: 2 * in, Rows: 1, YBoard: out},
		w:     widened(p.network.Weight(o.Layer), o.Channels, out),
		b:     widened(sum(own, p.network.Bias(o.Layer)), o.Channels, out),
		x:     x, y: y,
	})
}
