package cpu

import (
	"fmt"

	"warren/net"
)

// trunk is the network up to the heads: its operations with their weights packed. All plans of a back
// end share it.
type trunk struct {
	arithmetic arithmetic
	steps      []step
	slots      []net.Slot
	last       int // slot of the result
}

// arithmetic packs the operations of a trunk, in their order, and computes them in one format of
// numbers.
type arithmetic interface {
	// precision returns the name of the path, and the name of the format.
	precision() (path, numbers string)
	// group returns the largest number of positions that should go through all operations together.
	group() int
	// stride returns the distance between the squares of the features.
	stride() int
	// conv packs the convolution whose result is v, and returns its number. It has a ReLU.
	conv(n *net.Network, v net.Value) int
	// dense packs the product with a row whose result is v, and returns its number. If the
	// result is no more than the bias of a convolution (net.Program.BiasOf), that one's own bias
	// is part of it.
	dense(n *net.Network, v net.Value) int
	// boards returns the memory of a plan for results in these slots.
	boards(slots []net.Slot, group int) boards
}

// boards are the results of a plan's operations, boards and rows, and their working memory. The
// operations name results by their slots, -1 for none.
type boards interface {
	// input takes encoded positions.
	input(x []net.Bits, batch int)
	// conv computes the convolution with the given number, from x (-1 for the input) to y. The
	// residual may be y. The row bias, if there is one, is added for each board instead of the
	// convolution's own bias.
	conv(number, y, x, rowBias, residual, batch int)
	// pool sets y to the means and the maxima of the channels of x.
	pool(y, x, batch int)
	// dense computes the product with the given number, from x to y.
	dense(number, y, x, batch int)
	// features sets f, [64][boards][stride], to the products of x with the
	// matrices of the heads' first layers, side by side, without bias. It does this for board i of
	// the batch, and also for the next board if it returns 2.
	features(f []float32, x, i, batch int) (boards int)
}

// step is an operation of the trunk. Its operands are slots, -1 for none.
type step struct {
	kind                    net.Kind
	y, x, rowBias, residual int
	number                  int // of a convolution or a product
}

// newTrunk packs the trunk of a network. It fails if it has an operation that the plan cannot
// compute.
func newTrunk(n *net.Network, a arithmetic) (*trunk, error) {
	p := n.Program
	slots, of := p.Slots(true)
	t := &trunk{arithmetic: a, slots: slots, last: of[p.Trunk]}
	for v := net.Input + 1; v <= p.Trunk; v++ {
		o := p.Op(v)
		s := step{kind: o.Kind, y: of[v], x: slot(of, o.X), rowBias: slot(of, o.RowBias), residual: slot(of, o.Residual)}
		switch {
		case o.Kind == net.Conv3x3 && o.Activation == net.ReLU && o.Residual != net.Input && (o.RowBias == net.None || p.BiasOf(o.RowBias) == v):
			s.number = a.conv(n, v)
		case o.Kind == net.Pool && o.X != net.Input && o.Activation == net.Linear && len(o.Operands()) == 1:
		case o.Kind == net.Dense && !p.Op(o.X).Board && o.Activation <= net.ReLU && len(o.Operands()) == 1:
			if o.Channels%8 != 0 {
				return nil, fmt.Errorf("layer %s has %d outputs, which the processor's plan cannot compute in the trunk", p.Layer(v).Name, o.Channels)
			}
			s.number = a.dense(n, v)
		default:
			return nil, fmt.Errorf("the processor's plan cannot compute operation %d of the trunk", v)
		}
		t.steps = append(t.steps, s)
	}
	return t, nil
}

// slot returns the slot of an operand, -1 for the input or none.
func slot(of []int, v net.Value) int {
	if v <= net.Input {
		return -1
	}
	return of[v]
}

// forward takes encoded positions, at most a group, through the trunk.
func (t *trunk) forward(b boards, x []net.Bits, batch int) {
	b.input(x, batch)
	for i := range t.steps {
		t.steps[i].run(b, batch)
	}
}

// run computes the operation.
func (s *step) run(b boards, batch int) {
	switch s.kind {
	case net.Conv3x3:
		b.conv(s.number, s.y, s.x, s.rowBias, s.residual, batch)
	case net.Pool:
		b.pool(s.y, s.x, batch)
	case net.Dense:
		b.dense(s.number, s.y, s.x, batch)
	}
}
