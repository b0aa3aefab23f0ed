package gpu

import (
	"fmt"

	"warren/game"
	"warren/internal/compute/kernels"
	"warren/net"
)

// played returns the heads that play needs, and sets the numbers of their outputs.
func (p *lowering) played() (played []net.Head, err error) {
	for _, h := range p.program.Heads {
		if h.Play {
			played = append(played, h)
			p.size += h.Size
		}
	}
	if len(played) == 0 || played[0].Size != game.NumActions || p.size == game.NumActions || p.size > game.NumActions+mostChances {
		return nil, fmt.Errorf("the heads that play needs have %d outputs, not the %d of the policy and up to %d others", p.size, game.NumActions, mostChances)
	}
	for _, h := range played[1:] {
		for range h.Size {
			p.logistic = append(p.logistic, h.Activation == net.Logistic)
		}
	}
	return played, nil
}

// heads adds heads whose first layers' result is boards.
func (p *lowering) heads(played []net.Head, first *net.FirstLayers, boards activation) error {
	p.outputs = p.activation(p.size * 4)
	if j, ok := joinedOf(p.program, played, first); ok {
		p.join(j, first, boards)
		return nil
	}
	from := p.sources(first, boards)
	at := 0
	for _, h := range played {
		if err := p.head(h, from, at); err != nil {
			return fmt.Errorf("the head %s: %w", h.Name, err)
		}
		at += h.Size
	}
	return nil
}

// sources says how a product reads the results of operations: each is a product without weights and
// without a place for its result.
type sources map[net.Value]dense

// sources adds the means and maxima of all channels of the first layers, and returns how products read
// both.
func (p *lowering) sources(f *net.FirstLayers, boards activation) sources {
	stride := p.form.Channels(f.Width)
	pooled := p.activation(2 * stride * 4)
	p.pool(boards, pooled, stride)
	from := sources{}
	for v := range net.Value(len(p.program.Ops)) {
		o := p.program.Op(v)
		if column, ok := f.Columns[v]; ok {
			from[v] = dense{x: boards, stored: true, Dense: kernels.Dense{XBoard: 64 * stride, XAt: column, Run: stride, Inner: o.Channels}}
		} else if column, ok := f.Columns[o.X]; ok && isPool(o) {
			from[v] = dense{x: pooled, Dense: kernels.Dense{XBoard: 2 * stride, XAt: column, Run: stride, Inner: o.Channels / 2}}
		}
	}
	return from
}

// head adds the other operations of a head. Its output begins at place at.
func (p *lowering) head(h net.Head, from sources, at int) error {
	places := map[net.Value]int{}
	for _, v := range h.Outputs {
		places[v] = at
		at += p.program.Size(v)
	}
	for v := h.First; v < h.End; v++ {
		if _, ok := from[v]; ok {
			continue
		}
		o := p.program.Op(v)
		d, ok := from[o.X]
		if !ok || !isProduct(o) || o.Kind == net.Conv1x1 && !p.program.Op(o.X).Board {
			return fmt.Errorf("no kernel computes operation %d of the network", v)
		}
		if d.Rows = 1; o.Kind == net.Conv1x1 {
			d.Rows = 64
		}
		d.Inputs, d.Relu = p.program.Layer(v).Inputs(), o.Activation == net.ReLU
		d.w, d.b = p.network.Weight(o.Layer), p.network.Bias(o.Layer)
		if place, ok := places[v]; ok {
			d.y, d.YBoard, d.YAt = p.outputs, p.size, place
			delete(places, v)
		} else {
			d.y, d.YBoard = p.activation(p.program.Size(v)*4), p.program.Size(v)
			if !o.Board {
				from[v] = dense{x: d.y, Dense: kernels.Dense{XBoard: o.Channels, Inner: o.Channels}}
			}
		}
		p.dense(d)
	}
	for _, v := range h.Outputs {
		if _, ok := places[v]; ok {
			return fmt.Errorf("its output has the result of operation %d of the network, which is not a product of the head", v)
		}
	}
	return nil
}

// isProduct reports whether an operation is a product, a bias, and perhaps a ReLU, and nothing else.
func isProduct(o *net.Op) bool {
	return (o.Kind == net.Conv1x1 || o.Kind == net.Dense) && o.Activation <= net.ReLU && len(o.Operands()) == 1
}

// isPool reports whether an operation is the means and maxima of a board and nothing else.
func isPool(o *net.Op) bool {
	return o.Kind == net.Pool && o.Activation == net.Linear && len(o.Operands()) == 1
}
