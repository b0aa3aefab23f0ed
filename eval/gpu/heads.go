package gpu

import (
	"fmt"
	"slices"

	"warren/game"
	"warren/internal/compute/kernels"
	"warren/net"
)

func blockName(i int) string { return fmt.Sprintf("blocks.%d.", i) }

// heads adds the heads that play needs, which read x: first the layers that read the trunk,
// side by side as one product, then the others.
func (p *plan) heads(n *net.Network, x room, channels int) error {
	first, err := n.FirstLayers()
	if err != nil {
		return err
	}
	f := &features{FirstLayers: first}
	c := n.Config
	shape := kernels.Conv{In: c.Channels, Out: f.Width, Taps: 1}
	f.stride = p.form.Channels(f.Width)
	f.room = p.room(64 * f.stride * p.form.Size())
	p.conv(shape, x, p.tensor(p.form.Pack(shape, f.Weight)), p.bias(f.Width, f.Bias), nil, f.room)
	f.pooled = p.room(2 * f.stride * 4)
	p.pool(f.room, f.pooled, f.stride)

	for _, h := range c.Heads() {
		if h.Play {
			p.size += h.Size()
		}
	}
	p.outputs = p.room(p.size * 4)
	at := 0
	for _, h := range c.Heads() {
		if !h.Play {
			continue
		}
		if err := p.head(n, h, f, at); err != nil {
			return fmt.Errorf("the head %s: %w", h.Name, err)
		}
		at += h.Size()
	}
	if p.chances = p.size - game.NumActions; p.chances < 1 || p.chances > mostChances {
		return fmt.Errorf("the heads that play needs have %d outputs, not the %d of the policy and up to %d others", p.size, game.NumActions, mostChances)
	}
	return nil
}

// features are the layers of heads that read the trunk, and where their results are.
type features struct {
	*net.FirstLayers
	stride       int
	room, pooled room
}

// head adds the layers of a head after the first. Its output begins at place at.
func (p *plan) head(n *net.Network, h net.Head, f *features, at int) error {
	places := map[string]int{}
	for _, name := range h.Outputs {
		l := h.Layer(name)
		places[name] = at
		at += l.Out
		if l.Form == net.Squares {
			at += 63 * l.Out
		}
	}
	hidden := map[string]room{}
	for _, l := range h.Layers {
		if l.From == "" {
			continue
		}
		column, ok := f.Columns[l.From]
		if from, board := hidden[l.From]; !ok && (!board || l.Form != net.Dense) {
			return fmt.Errorf("layer %s reads a layer that it cannot read", l.Name)
		} else if board {
			p.layer(n, l, dense{x: from, xBoard: l.In, inner: l.In, rows: 1}, places, hidden)
			continue
		}
		d := dense{x: f.room, stored: true, xBoard: 64 * f.stride, xAt: column, run: f.stride, inner: l.In, rows: 1}
		switch l.Form {
		case net.Squares:
			d.rows = 64
		case net.Pooled:
			d.x, d.stored, d.xBoard = f.pooled, false, 2*f.stride
		case net.Dense:
			return fmt.Errorf("layer %s reads squares as if there were none", l.Name)
		}
		p.layer(n, l, d, places, hidden)
	}
	if i := slices.IndexFunc(h.Outputs, func(name string) bool { return hidden[name] != 0 }); i >= 0 {
		return fmt.Errorf("its output %s is a hidden layer", h.Outputs[i])
	}
	return nil
}

// layer adds a layer with its result in the outputs, or else in a room of its own.
func (p *plan) layer(n *net.Network, l net.Layer, d dense, places map[string]int, hidden map[string]room) {
	d.inputs, d.relu = l.Inputs(), l.Relu
	d.w, d.b = n.Param(l.Name+".weight").Data, n.Param(l.Name+".bias").Data
	if at, ok := places[l.Name]; ok {
		d.y, d.yBoard, d.yAt = p.outputs, p.size, at
	} else {
		d.y, d.yBoard = p.room(d.rows*l.Out*4), d.rows*l.Out
		hidden[l.Name] = d.y
	}
	p.dense(d)
}
