package graph

import (
	G "gorgonia.org/gorgonia"

	"warren/internal/learn/gradient"
)

// linear returns x weight + bias, or its ReLU: a dense layer, or a 1x1
// convolution if the rows of x are squares. weight is [in][out] and bias [1][out].
// x is read as rows of in numbers, whatever its own shape, so several rows of x
// can form one row of the layer. The result is [rows][out].
func (b *builder) linear(name string, x, weight, bias *G.Node, relu bool) (*G.Node, error) {
	in, out := weight.Shape()[0], weight.Shape()[1]
	rows := x.Shape().TotalSize() / in
	kernel := gradient.NewLinear(b.path, rows, in, out, relu, b.workers, b.space)
	y := newMatrix(rows, out)
	op := &differentiable{operation: operation{name: name, arity: 3, result: y}, wants: []bool{true, true, true}}
	op.run = func(v []G.Value) {
		kernel.Forward(floats(v[0]), floats(v[1]), floats(v[2]), floats(y))
	}
	op.symDiff = func(inputs G.Nodes, y, dy *G.Node) (G.Nodes, error) {
		dx := newMatrix(x.Shape()[0], x.Shape()[1])
		dw, dBias := newMatrix(in, out), newMatrix(1, out)
		back, err := G.ApplyOp(&operation{name: name + " gradient", arity: 4, result: dx, run: func(v []G.Value) {
			kernel.Backward(floats(v[0]), floats(v[1]), floats(v[2]), floats(v[3]), floats(dx), floats(dw), floats(dBias))
		}}, inputs[0], inputs[1], y, dy)
		if err != nil {
			return nil, err
		}
		byWeight, err := part(name+" gradient by weight", back, dw)
		if err != nil {
			return nil, err
		}
		byBias, err := part(name+" gradient by bias", back, dBias)
		return G.Nodes{back, byWeight, byBias}, err
	}
	return G.ApplyOp(op, x, weight, bias)
}
