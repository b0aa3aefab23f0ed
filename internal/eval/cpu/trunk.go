package cpu

import (
	"fmt"
	"slices"

	"warren/internal/kernel"
	"warren/net"
)

// trunk is the network up to the heads: its operations with their weights packed. All plans of a back
// end share it.
type trunk struct {
	arithmetic arithmetic
	path       *kernel.Path // of products with rows
	steps      []step
	slots      []net.Slot
	last       int // slot of the result
}

// arithmetic computes boards in one format of numbers.
type arithmetic interface {
	// precision returns the name of the path, and the name of the format.
	precision() (path, numbers string)
	// group returns the largest number of positions that should go through all operations together.
	group() int
	// stride returns the distance between the squares of the features.
	stride() int
	// conv packs a convolution with a ReLU, and returns its number. The input of the network has
	// net.NumPlanes channels.
	conv(weight, bias []float32, in, out int, input bool) int
	// boards returns the memory of a plan for boards of these numbers of channels.
	boards(channels []int, group int) boards
}

// boards are the boards of a plan, and the working memory of its operations.
type boards interface {
	// input takes encoded positions, [batch][64][NumPlanes].
	input(x []float32, batch int)
	// conv computes the convolution with the given number, from x (-1 for the input) to y. The
	// residual is -1 for none, and may be y. The bias is nil for the convolution's own, or [batch][out].
	conv(number, y, x, residual int, bias []float32, batch int)
	// pool sets mean and most to the means and the maxima of the channels of board i of x.
	pool(mean, most []float32, x, i, batch int)
	// features sets f, [64][boards][stride], to the products of x with the
	// matrices of the heads' first layers, side by side, without bias. It does this for board i of
	// the batch, and also for the next board if it returns 2.
	features(f []float32, x, i, batch int) (boards int)
}

// step is an operation of the trunk. Its operands are slots, -1 for none.
type step struct {
	net.Op
	y, x, rowBias, residual int
	conv                    int           // number of a convolution
	dense                   *kernel.Dense // matrix of a product with a row
	bias                    []float32     // of this product, with the bias of the convolution that it is added to, if any
}

// newTrunk packs the trunk of a network. It fails if it has an operation that the plan cannot
// compute.
func newTrunk(n *net.Network, path *kernel.Path, a arithmetic) (*trunk, error) {
	p := n.Program
	slots, of := p.Slots(true)
	slot := func(v net.Value) int {
		if v <= net.Input { // the input or None
			return -1
		}
		return of[v]
	}
	t := &trunk{arithmetic: a, path: path, slots: slots, last: of[p.Trunk]}
	for v := net.Input + 1; v <= p.Trunk; v++ {
		o := p.Op(v)
		s := step{Op: *o, y: of[v], x: slot(o.X), rowBias: slot(o.RowBias), residual: slot(o.Residual)}
		switch {
		case o.Kind == net.Conv && o.Activation == net.ReLU && o.Residual != net.Input && (o.RowBias == net.None || p.BiasOf(o.RowBias) == v):
			s.conv = a.conv(n.Weight(o.Layer), n.Bias(o.Layer), p.Op(o.X).Channels, o.Channels, o.X == net.Input)
		case o.Kind == net.Pool && o.X != net.Input:
		case o.Kind == net.Dense && !p.Op(o.X).Board && o.Activation <= net.ReLU && len(o.Operands()) == 1:
			s.dense = kernel.NewDense(path, n.Weight(o.Layer), p.Layer(v).Inputs(), o.Channels)
			if s.dense.Stride() != o.Channels {
				return nil, fmt.Errorf("layer %s has %d outputs, which the processor's plan cannot compute in the trunk", p.Layer(v).Name, o.Channels)
			}
			s.bias = slices.Clone(n.Bias(o.Layer))
			if of := p.BiasOf(v); of != net.None {
				for i, b := range n.Bias(p.Op(of).Layer) {
					s.bias[i] = b + s.bias[i]
				}
			}
		default:
			return nil, fmt.Errorf("the processor's plan cannot compute operation %d of the trunk", v)
		}
		t.steps = append(t.steps, s)
	}
	return t, nil
}

// trunkRun is a trunk with the memory of one plan.
type trunkRun struct {
	trunk  *trunk
	boards boards
	rows   [][]float32 // by slot: [group][channels] of a row
}

func (t *trunk) run(group int) *trunkRun {
	r := &trunkRun{trunk: t, rows: make([][]float32, len(t.slots))}
	channels := make([]int, len(t.slots)) // of boards
	for i, s := range t.slots {
		if s.Board {
			channels[i] = s.Channels
		} else {
			r.rows[i] = make([]float32, kernel.Rounded(group)*s.Channels)
		}
	}
	r.boards = t.arithmetic.boards(channels, group)
	return r
}

// forward takes encoded positions, [batch][64][NumPlanes], at most a group, through the
// trunk.
func (r *trunkRun) forward(x []float32, batch int) {
	r.boards.input(x, batch)
	for k := range r.trunk.steps {
		s := &r.trunk.steps[k]
		switch s.Kind {
		case net.Conv:
			var bias []float32
			if s.rowBias >= 0 {
				bias = r.rows[s.rowBias][:batch*s.Channels]
			}
			r.boards.conv(s.conv, s.y, s.x, s.residual, bias, batch)
		case net.Pool:
			for i := range batch {
				row := r.rows[s.y][i*s.Channels:][:s.Channels]
				r.boards.pool(row[:s.Channels/2], row[s.Channels/2:], s.x, i, batch)
			}
		case net.Dense:
			y := r.rows[s.y]
			s.dense.Multiply(y, r.rows[s.x], batch)
			if s.Activation == net.ReLU {
				r.trunk.path.Rectify(y, s.bias, batch)
				continue
			}
			for i := range batch {
				row := y[i*s.Channels:][:s.Channels]
				for j, b := range s.bias[:len(row)] {
					row[j] += b
				}
			}
		}
	}
}
