package graph

import (
	G "gorgonia.org/gorgonia"

	"warren/internal/learn/gradient"
)

// pool returns the mean and the maximum of each channel over each board. It maps x
// [boards*64][c] to [boards][2*c], means first.
func (b *builder) pool(name string, x *G.Node) (*G.Node, error) {
	rows, c := x.Shape()[0], x.Shape()[1]
	boards := rows / 64
	y := newMatrix(boards, 2*c)
	op := &differentiable{operation: operation{name: name, arity: 1, result: y}, wants: []bool{true}}
	op.run = func(v []G.Value) {
		gradient.Pool(b.path, b.workers, boards, c, floats(v[0]), floats(y))
	}
	op.symDiff = func(in G.Nodes, y, dy *G.Node) (G.Nodes, error) {
		dx := newMatrix(rows, c)
		back, err := G.ApplyOp(&operation{name: name + " gradient", arity: 3, result: dx, run: func(v []G.Value) {
			gradient.PoolBackward(b.workers, boards, c, floats(v[0]), floats(v[1]), floats(v[2]), floats(dx))
		}}, in[0], y, dy)
		return G.Nodes{back}, err
	}
	return G.ApplyOp(op, x)
}
