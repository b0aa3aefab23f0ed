package gpu

import (
	"fmt"
	"slices"

	"warren/game"
	"warren/internal/compute/kernels"
	"warren/net"
)

// heads adds the heads that play needs, which read x: first the layers that read the trunk,
// side by side as one product, then the others.
func (p *lowering) heads(x room) error {
	first, err := p.network.FirstLayers()
	if err != nil {
		return err
	}
	f := &features{FirstLayers: first}
	shape := kernels.Conv{In: f.Channels, Out: f.Width, Taps: 1}
	f.stride = p.form.Channels(f.Width)
	f.room = p.room(64 * f.stride * p.form.Size())
	p.conv(shape, x, p.tensor(p.form.Pack(shape, f.Weight)), p.bias(f.Bias), nil, f.room)
	f.pooled = p.room(2 * f.stride * 4)
	p.pool(f.room, f.pooled, f.stride)

	var played []net.Head
	for _, h := range p.program.Heads {
		if h.Play {
			played = append(played, h)
			p.size += h.Size
		}
	}
	p.outputs = p.room(p.size * 4)
	at := 0
	for _, h := range played {
		if err := p.head(h, f, at); err != nil {
			return fmt.Errorf("the head %s: %w", h.Name, err)
		}
		at += h.Size
	}
	if played[0].Size != game.NumActions || p.size == game.NumActions || p.size > game.NumActions+mostChances {
		return fmt.Errorf("the heads that play needs have %d outputs, not the %d of the policy and up to %d others", p.size, game.NumActions, mostChances)
	}
	for _, h := range played[1:] {
		for range h.Size {
			p.logistic = append(p.logistic, h.Activation == net.Logistic)
		}
	}
	return nil
}

// features are the layers of heads that read the trunk, and where their results are.
type features struct {
	*net.FirstLayers
	stride       int
	room, pooled room
}

// head adds the operations of a head after the first. Its output begins at place at.
func (p *lowering) head(h net.Head, f *features, at int) error {
	places := map[net.Value]int{}
	for _, v := range h.Outputs {
		places[v] = at
		at += p.program.Size(v)
	}
	hidden := map[net.Value]room{}
	for v := h.First; v < h.End; v++ {
		o := p.program.Op(v)
		if o.Kind == net.Pool || o.X == p.program.Trunk {
			continue // these are computed for all heads together
		}
		from, rows := o.X, p.program.Op(o.X)
		if rows.Kind == net.Pool {
			from = rows.X
		}
		column, ok := f.Columns[from]
		d := dense{x: f.room, stored: true, xBoard: 64 * f.stride, xAt: column, run: f.stride, inner: p.program.Op(from).Channels, rows: 1}
		switch row, computed := hidden[from]; {
		case o.Kind == net.Dense && computed:
			d = dense{x: row, xBoard: rows.Channels, inner: rows.Channels, rows: 1}
		case ok && rows.Kind == net.Pool:
			d.x, d.stored, d.xBoard = f.pooled, false, 2*f.stride
		case ok && o.Kind == net.Square:
			d.rows = 64
		case !ok:
			return fmt.Errorf("layer %s reads a result that it cannot read", p.program.Layer(v).Name)
		}
		p.layer(v, d, places, hidden)
	}
	if i := slices.IndexFunc(h.Outputs, func(v net.Value) bool { return hidden[v] != 0 }); i >= 0 {
		return fmt.Errorf("its output %s is a hidden layer", p.program.Layer(h.Outputs[i]).Name)
	}
	return nil
}

// layer adds a product with its result in the outputs, or else in a room of its own.
func (p *lowering) layer(v net.Value, d dense, places map[net.Value]int, hidden map[net.Value]room) {
	o := p.program.Op(v)
	d.inputs, d.relu = p.program.Layer(v).Inputs(), o.Activation == net.ReLU
	d.w, d.b = p.network.Weight(o.Layer), p.network.Bias(o.Layer)
	if at, ok := places[v]; ok {
		d.y, d.yBoard, d.yAt = p.outputs, p.size, at
	} else {
		d.y, d.yBoard = p.room(d.rows*o.Channels*4), d.rows*o.Channels
		hidden[v] = d.y
	}
	p.dense(d)
}
