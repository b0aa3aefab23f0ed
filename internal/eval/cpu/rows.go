package cpu

import (
	"slices"

	"warren/internal/kernel"
	"warren/net"
)

// rowLayers are the products with rows, in fp32.
type rowLayers struct {
	path   *kernel.Path
	layers []rowLayer
}

// rowLayer is a product with its weights packed.
type rowLayer struct {
	*kernel.Dense
	bias []float32
	relu bool
}

func (l *rowLayers) dense(n *net.Network, v net.Value) int {
	o := n.Program.Op(v)
	l.layers = append(l.layers, rowLayer{
		kernel.NewDense(l.path, n.Weight(o.Layer), n.Program.Layer(v).Inputs(), o.Channels),
		rowBias(n, v), o.Activation == net.ReLU,
	})
	return len(l.layers) - 1
}

// rowBias returns the bias of the product with a row whose result is v, with that of the convolution
// that it is added to, if any.
func rowBias(n *net.Network, v net.Value) []float32 {
	bias := slices.Clone(n.Bias(n.Program.Op(v).Layer))
	if of := n.Program.BiasOf(v); of != net.None {
		for i, b := range n.Bias(n.Program.Op(of).Layer) {
			bias[i] = b + bias[i]
		}
	}
	return bias
}

// rows are the rows of a plan.
type rows struct {
	*rowLayers
	slots []net.Slot
	data  [][]float32 // by slot: [group][channels]; empty for boards
}

func (l *rowLayers) rows(slots []net.Slot, group int) rows {
	r := rows{l, slots, make([][]float32, len(slots))}
	for i, s := range slots {
		if !s.Board {
			r.data[i] = make([]float32, kernel.Rounded(group)*s.Channels)
		}
	}
	return r
}

// of returns the rows of a batch in a slot, or nil if there is no slot.
func (r *rows) of(slot, batch int) []float32 {
	if slot < 0 {
		return nil
	}
	return r.data[slot][:batch*r.slots[slot].Channels]
}

func (r *rows) dense(number, y, x, batch int) {
	l := &r.layers[number]
	l.Multiply(r.data[y], r.data[x], batch)
	r.finish(y, l.bias, l.relu, batch)
}

// finish adds a bias to the rows of a slot and applies a ReLU, if wanted.
func (r *rows) finish(slot int, bias []float32, relu bool, batch int) {
	y := r.of(slot, batch)
	if relu {
		r.path.Rectify(y, bias, batch)
		return
	}
	for ; len(y) > 0; y = y[len(bias):] {
		for j, b := range bias {
			y[j] += b
		}
	}
}
