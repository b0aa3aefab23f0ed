package onnx

import (
	"fmt"

	"warren/net"
)

// graph is a GraphProto under construction: the operations in execution order, and
// the weights.
type graph struct {
	network *net.Network
	results []string // of the program's operations
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

func (g *graph) bias(layer int) string {
	p := &g.network.Params[2*layer+1]
	return g.weight(p, "[out]", p.Shape, p.Data)
}

// build adds the whole network. It fails if the program has an operation that it does not know.
func (g *graph) build() error {
	p := g.network.Program
	// ONNX convolutions need channels first.
	g.results[net.Input] = g.add("Transpose", "planes.first", []string{Input().Name}, attribute{name: "perm", many: []int{0, 3, 1, 2}})
	for v := net.Input + 1; v < net.Value(len(p.Ops)); v++ {
		var err error
		if g.results[v], err = g.operation(v); err != nil {
			return err
		}
	}
	for _, h := range p.Heads {
		g.output(h)
	}
	return nil
}

// operation adds an operation of the program and returns the name of its result. Boards have channels
// first. So have the trunk's rows and those that pooling leaves, as boards of one square, because
// these can be added to every square.
func (g *graph) operation(v net.Value) (string, error) {
	p := g.network.Program
	o, x := p.Op(v), g.results[p.Op(v).X]
	if o.Kind == net.Pool && o.Activation == net.Linear && len(o.Operands()) == 1 {
		return g.pool(fmt.Sprintf("pool.%d", v), x), nil
	}
	if o.Layer < 0 || o.Activation > net.ReLU {
		return "", fmt.Errorf("the model has no operator for operation %d", v)
	}
	name, read := p.Layer(v).Name, p.Op(o.X)
	var y string
	switch {
	case o.Kind == net.Conv3x3 || o.Kind == net.Conv1x1:
		y = g.conv(o.Layer, x)
	case o.Kind == net.Dense && v <= p.Trunk:
		// A product with a board of one square is a 1x1 convolution.
		y = g.conv(o.Layer, x)
	case o.Kind == net.Dense && read.Board:
		y = g.dense(o.Layer, g.flatten(name+".flat", x), squaresLast(read.Channels))
	case o.Kind == net.Dense && read.Kind == net.Pool:
		y = g.dense(o.Layer, g.flatten(name+".flat", x), nil)
	case o.Kind == net.Dense:
		y = g.dense(o.Layer, x, nil)
	default:
		return "", fmt.Errorf("the model has no operator for operation %d, layer %s", v, name)
	}
	if o.Residual != net.None {
		y = g.add("Add", name+".sum", []string{y, g.results[o.Residual]})
	}
	if o.RowBias != net.None {
		y = g.add("Add", name+".biased", []string{y, g.results[o.RowBias]})
	}
	if o.Activation == net.ReLU {
		y = g.add("Relu", name+".relu", []string{y})
	}
	return y, nil
}

// output adds what turns the results of a head into its output, which has the head's name.
func (g *graph) output(h net.Head) {
	p := g.network.Program
	var parts []string
	for _, v := range h.Outputs {
		part := g.results[v]
		if p.Op(v).Board {
			part = g.flatten(p.Layer(v).Name+".flat", part)
		}
		parts = append(parts, part)
	}
	function, ok := functions[h.Activation]
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

// functions holds the operators of the activations that turn a head's numbers into its output.
var functions = map[net.Activation]struct {
	operator   string
	attributes []attribute
}{
	net.Logistic: {operator: "Sigmoid"},
	net.Softmax:  {"Softmax", []attribute{{name: "axis", one: 1}}},
}

func (g *graph) concat(name string, parts []string) string {
	return g.add("Concat", name, parts, attribute{name: "axis", one: 1})
}

func (g *graph) flatten(name, x string) string {
	return g.add("Flatten", name, []string{x}, attribute{name: "axis", one: 1})
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
func (g *graph) conv(layer int, x string) string {
	p := &g.network.Params[2*layer]
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
	return g.add("Conv", g.network.Program.Layers[layer].Name, []string{x, weight, g.bias(layer)},
		attribute{name: "kernel_shape", many: []int{side, side}},
		attribute{name: "pads", many: []int{pad, pad, pad, pad}})
}

// dense adds the product of a dense layer. If rows is not nil, it is the
// order in which x has the layer's inputs.
func (g *graph) dense(layer int, x string, rows []int) string {
	p := &g.network.Params[2*layer]
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
	return g.add("Gemm", g.network.Program.Layers[layer].Name, []string{x, weight, g.bias(layer)})
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
