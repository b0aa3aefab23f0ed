package onnx

import (
	"fmt"

	"warren/net"
)

// graph is a GraphProto under construction: the operations in execution order, and
// the weights.
type graph struct {
	network *net.Network
	nodes   []message
	weights []message
}

// add appends an operation and returns the name of its result.
func (g *graph) add(operator, output string, inputs []string, attributes ...attribute) string {
	g.nodes = append(g.nodes, node(operator, output, inputs, attributes))
	return output
}

// weight adds a parameter in ONNX's layout and returns its name.
func (g *graph) weight(p *net.Param, doc string, shape []int, data []float32) string {
	g.weights = append(g.weights, tensor(p.Name, doc, shape, data))
	return p.Name
}

func (g *graph) bias(layer string) string {
	p := g.network.Param(layer + ".bias")
	return g.weight(p, "[out]", p.Shape, p.Data)
}

// build adds the whole network.
func (g *graph) build() {
	c := g.network.Config
	// ONNX convolutions need channels first.
	x := g.add("Transpose", "planes.first", []string{Planes.Name}, attribute{name: "perm", many: []int{0, 3, 1, 2}})
	x = g.relu("stem", g.conv("stem", x))
	for i := range c.Blocks {
		x = g.block(i, x)
	}

	for _, h := range c.Heads() {
		g.head(h, x)
	}
}

// head adds a head on the trunk. Its output has the head's name.
func (g *graph) head(h net.Head, trunk string) {
	results := map[string]string{"": trunk}
	for _, l := range h.Layers {
		x := results[l.From]
		switch l.Form {
		case net.Squares:
			x = g.conv(l.Name, x)
		case net.Pooled:
			x = g.dense(l.Name, g.flatten(l.Name+".flat", g.pool(l.Name+".pool", x)), nil)
		case net.Board:
			x = g.dense(l.Name, g.flatten(l.Name+".flat", x), squaresLast(l.In))
		case net.Dense:
			x = g.dense(l.Name, x, nil)
		}
		if l.Relu {
			x = g.relu(l.Name, x)
		}
		results[l.Name] = x
	}
	var parts []string
	for _, name := range h.Outputs {
		part := results[name]
		if h.Layer(name).Form == net.Squares {
			part = g.flatten(name+".flat", part)
		}
		parts = append(parts, part)
	}
	function, ok := functions[h.Loss]
	if !ok {
		g.concat(h.Name, parts)
		return
	}
	logits := parts[0]
	if len(parts) > 1 {
		logits = g.concat(h.Name+".logits", parts)
	}
	g.add(function.operator, h.Name, []string{logits}, function.attributes...)
}

// functions holds the function that turns logits into a head's output, by the
// head's loss. The output of other heads is their logits.
var functions = map[net.Loss]struct {
	operator   string
	attributes []attribute
}{
	net.Chances: {operator: "Sigmoid"},
	net.Shares:  {"Softmax", []attribute{{name: "axis", one: 1}}},
}

func (g *graph) concat(name string, parts []string) string {
	return g.add("Concat", name, parts, attribute{name: "axis", one: 1})
}

func (g *graph) flatten(name, x string) string {
	return g.add("Flatten", name, []string{x}, attribute{name: "axis", one: 1})
}

// block adds residual block i on x.
func (g *graph) block(i int, x string) string {
	at := fmt.Sprintf("blocks.%d", i)
	h := g.relu(at+".conv1", g.conv(at+".conv1", x))
	y := g.add("Add", at+".sum", []string{g.conv(at+".conv2", h), x})
	if g.network.Config.Pooled(i) {
		// The dense layer is a 1x1 convolution of the 1x1 board that pooling
		// leaves, so its result can be added to every square.
		y = g.add("Add", at+".biased", []string{y, g.conv(at+".pool", g.pool(at+".pooled", h))})
	}
	return g.relu(at, y)
}

func (g *graph) relu(layer, x string) string {
	return g.add("Relu", layer+".relu", []string{x})
}

// pool adds the means and then the maxima of all channels over the board, as a
// board of one square.
func (g *graph) pool(name, x string) string {
	mean := g.add("GlobalAveragePool", name+".mean", []string{x})
	peak := g.add("GlobalMaxPool", name+".max", []string{x})
	return g.concat(name, []string{mean, peak})
}

// conv adds the convolution of a layer: 3x3, or 1x1 if its weight is a matrix. The
// board keeps its size.
func (g *graph) conv(layer, x string) string {
	p := g.network.Param(layer + ".weight")
	in, out := p.Shape[len(p.Shape)-2], p.Shape[len(p.Shape)-1]
	taps := len(p.Data) / (in * out)
	data := make([]float32, len(p.Data))
	for tap := range taps {
		for i := range in {
			for o, v := range p.Data[(tap*in+i)*out:][:out] {
				data[(o*in+i)*taps+tap] = v
			}
		}
	}
	side, pad := 1, 0
	if taps == 9 {
		side, pad = 3, 1
	}
	weight := g.weight(p, "[out][in][rank][file]", []int{out, in, side, side}, data)
	return g.add("Conv", layer, []string{x, weight, g.bias(layer)},
		attribute{name: "kernel_shape", many: []int{side, side}},
		attribute{name: "pads", many: []int{pad, pad, pad, pad}})
}

// dense adds the dense layer with the given name. If rows is not nil, it is the
// order in which x has the layer's inputs.
func (g *graph) dense(layer, x string, rows []int) string {
	p := g.network.Param(layer + ".weight")
	data, doc := p.Data, "[in][out]"
	if rows != nil {
		out := p.Shape[1]
		data = make([]float32, 0, len(p.Data))
		for _, r := range rows {
			data = append(data, p.Data[r*out:][:out]...)
		}
		doc = "[channel*64+square][out]"
	}
	weight := g.weight(p, doc, p.Shape, data)
	return g.add("Gemm", layer, []string{x, weight, g.bias(layer)})
}

// squaresLast returns the network's indices of a board's features,
// square*channels+channel, ordered by channel*64+square.
func squaresLast(channels int) []int {
	rows := make([]int, 0, 64*channels)
	for c := range channels {
		for s := range 64 {
			rows = append(rows, s*channels+c)
		}
	}
	return rows
}
