package graph

import (
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	"warren/internal/learn/gradient"
)

// convInputs are the inputs of a fused convolution; boardBias and residual may
// be nil. Shapes, as matrices: x [boards*64][in], weight [9*in][out], bias
// [1][out], boardBias [boards][out], residual [boards*64][out].
type convInputs struct {
	x, weight, bias     *G.Node
	boardBias, residual *G.Node
}

// conv returns relu(conv3x3(x) + bias + boardBias + residual), [boards*64][out].
// If fixedX is set it has no gradient with respect to x.
//
// One node computes all its gradients. The node's result is the gradient with
// respect to x, or to the weight if x is fixed; the others are parts of the node.
func (b *builder) conv(name string, in convInputs, fixedX bool) (*G.Node, error) {
	rows, cin, cout := in.x.Shape()[0], in.x.Shape()[1], in.bias.Shape()[1]
	boards := rows / 64
	kernel := gradient.NewConv(b.path, boards, cin, cout, b.workers, b.space)

	inputs := G.Nodes{in.x, in.weight, in.bias}
	boardAt, residualAt := -1, -1
	if in.boardBias != nil {
		boardAt = len(inputs)
		inputs = append(inputs, in.boardBias)
	}
	if in.residual != nil {
		residualAt = len(inputs)
		inputs = append(inputs, in.residual)
	}
	optional := func(v []G.Value, at int) []float32 {
		if at < 0 {
			return nil
		}
		return floats(v[at])
	}

	y := newMatrix(rows, cout)
	op := &differentiable{operation: operation{name: name, arity: len(inputs), result: y}}
	op.run = func(v []G.Value) {
		kernel.Forward(floats(v[0]), floats(v[1]), floats(v[2]), optional(v, boardAt), optional(v, residualAt), floats(y))
	}
	op.wants = make([]bool, len(inputs))
	for i := range op.wants {
		op.wants[i] = i > 0 || !fixedX
	}
	op.symDiff = func(in G.Nodes, out, dOut *G.Node) (G.Nodes, error) {
		dw, dBias := newMatrix(9*cin, cout), newMatrix(1, cout)
		var dx, dBoard, dResidual *tensor.Dense
		memory := func(want bool, rows, cols int) (*tensor.Dense, []float32) {
			if !want {
				return nil, nil
			}
			d := newMatrix(rows, cols)
			return d, floats(d)
		}
		var dxData, dBoardData, dResidualData []float32
		dx, dxData = memory(!fixedX, rows, cin)
		dBoard, dBoardData = memory(boardAt >= 0, boards, cout)
		dResidual, dResidualData = memory(residualAt >= 0, rows, cout)
		result := dx
		if fixedX {
			result = dw
		}
		back, err := G.ApplyOp(&operation{name: name + " gradient", arity: 4, result: result, run: func(v []G.Value) {
			kernel.Backward(floats(v[0]), floats(v[1]), floats(v[2]), floats(v[3]),
				dxData, floats(dw), floats(dBias), dBoardData, dResidualData)
		}}, in[0], in[1], out, dOut)
		if err != nil {
			return nil, err
		}
		grads := make(G.Nodes, len(in))
		grads[0] = back
		for i, p := range []struct {
			name   string
			at     int
			memory *tensor.Dense
		}{{"weight", 1, dw}, {"bias", 2, dBias}, {"board bias", boardAt, dBoard}, {"residual", residualAt, dResidual}} {
			switch {
			case p.at < 0:
			case i == 0 && fixedX:
				grads[0], grads[1] = nil, back
			default:
				if grads[p.at], err = part(name+" gradient by "+p.name, back, p.memory); err != nil {
					return nil, err
				}
			}
		}
		return grads, nil
	}
	return G.ApplyOp(op, inputs...)
}
