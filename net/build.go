package net

import (
	"fmt"
	"math"
)

// builder makes a program.
type builder struct {
	Program
	config Config
}

// Program returns the network of this architecture as a list of operations. The settings must be
// valid.
//
// Convolutions followed by a ReLU start with the deviation sqrt(2/fan-in) of He et
// al. 2015 ("Delving deep into rectifiers"). Without normalisation the tower must
// not amplify, so a block's second convolution is scaled by 1/(2 sqrt(Blocks)).
// Every block then begins near the identity, and the whole tower adds a quarter of
// the stem's variance. (Fixup, Zhang et al. 2019, has the same idea and scales to
// zero.) Last layers start at a tenth of the scale for their fan-in, so a new
// network plays almost uniformly.
func (c Config) Program() *Program {
	b := &builder{config: c}
	x := b.board(operation(Position, None, -1), NumPlanes)
	x = b.conv(x, b.layer("stem", 1, rectified, NumPlanes, 3, 3, NumPlanes, c.Channels), None, None)
	for i := range c.Blocks {
		x = b.block(i, x)
	}
	b.Trunk = x
	for _, d := range heads {
		if d.Auxiliary && !c.names(d.Name) {
			continue
		}
		h := d.Head
		h.First = Value(len(b.Ops))
		h.Outputs = d.build(b, h.Name)
		h.End = Value(len(b.Ops))
		for _, v := range h.Outputs {
			h.Size += b.Size(v)
		}
		b.Heads = append(b.Heads, h)
	}
	return &b.Program
}

// block adds residual block i.
func (b *builder) block(i int, x Value) Value {
	name, ch := fmt.Sprintf("blocks.%d.", i), b.config.Channels
	residual := 0.5 / math.Sqrt(float64(b.config.Blocks))
	conv1 := b.layer(name+"conv1", 1, rectified, ch, 3, 3, ch, ch)
	conv2 := b.layer(name+"conv2", residual, rectified, ch, 3, 3, ch, ch)
	h, bias := b.conv(x, conv1, None, None), None
	if b.config.Pooled(i) {
		bias = b.dense(b.pool(h), b.layer(name+"pool", residual, linear, ch, 2*ch, ch), Linear)
	}
	return b.conv(h, conv2, bias, x)
}

// What the variance of a layer's initial weights, times the fan-in, is in front of a ReLU and elsewhere.
const (
	rectified = 2
	linear    = 1
)

// layer declares a layer and returns its number. The deviation of its initial weights is
// scale*sqrt(variance/fan-in). The order of the layers is that of the parameters in files, which
// need not be that of the operations.
func (b *builder) layer(name string, scale, variance float64, in int, shape ...int) int {
	l := Layer{Name: name, Shape: shape, In: in}
	l.Std = scale * math.Sqrt(variance/float64(l.Inputs()))
	b.Layers = append(b.Layers, l)
	return len(b.Layers) - 1
}

// operation returns an operation that reads x and nothing else.
func operation(k Kind, x Value, layer int) Op {
	return Op{Kind: k, X: x, Layer: layer, RowBias: None, Residual: None}
}

// board adds an operation whose result is a board, and returns the result.
func (b *builder) board(o Op, channels int) Value {
	o.Board = true
	return b.row(o, channels)
}

// row adds an operation whose result is a row, and returns the result.
func (b *builder) row(o Op, channels int) Value {
	o.Channels = channels
	b.Ops = append(b.Ops, o)
	return Value(len(b.Ops) - 1)
}

// conv adds a 3x3 convolution with a ReLU.
func (b *builder) conv(x Value, layer int, rowBias, residual Value) Value {
	o := operation(Conv3x3, x, layer)
	o.RowBias, o.Residual, o.Activation = rowBias, residual, ReLU
	return b.board(o, b.Layers[layer].Outputs())
}

// square adds a 1x1 convolution.
func (b *builder) square(x Value, layer int, a Activation) Value {
	o := operation(Conv1x1, x, layer)
	o.Activation = a
	return b.board(o, b.Layers[layer].Outputs())
}

// pool adds the means and maxima of a board.
func (b *builder) pool(x Value) Value {
	return b.row(operation(Pool, x, -1), 2*b.Ops[x].Channels)
}

// dense adds a product with a row, or with a board as a row.
func (b *builder) dense(x Value, layer int, a Activation) Value {
	o := operation(Dense, x, layer)
	o.Activation = a
	return b.row(o, b.Layers[layer].Outputs())
}
