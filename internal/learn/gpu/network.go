package gpu

import (
	"fmt"
	"math"
	"slices"

	"warren/game"
	"warren/internal/compute"
	"warren/internal/compute/kernels"
	"warren/net"
)

// network puts the forward pass of a network and its losses on a tape.
type network struct {
	*tape
	program *net.Program
	layers  []matrix // by the number of the layer
	heads   []*head
	batch   *staging // targets and weights of the heads
	results *staging // the losses of every head and position, and the norm of the gradient
	norm    int      // its place in results

	compared []compute.Launch // what computes the losses after the forward pass
}

// head is a head with the places of its numbers.
type head struct {
	net.Head
	targets, weights, losses int // places in batch and results
}

// newNetwork allocates what is the same for every network. It fails if n has operations or losses
// that the kernels do not compute.
func newNetwork(m *memory, n *net.Network, boards int) (*network, error) {
	p := n.Program
	w := &network{tape: newTape(m, boards, n.NumParams()), program: p}
	at := 0
	for i := range p.Layers {
		l := &p.Layers[i]
		m := matrix{at: at, taps: 1, in: l.Inputs(), out: l.Outputs()}
		if len(l.Shape) == 4 {
			m.taps, m.in = 9, l.In
		}
		w.layers = append(w.layers, m)
		at += m.size()
	}
	widest := 0
	for v := range net.Value(len(p.Ops)) {
		widest = max(widest, p.Size(v))
		if v != net.Input && !computes(p, v) {
			return nil, fmt.Errorf("no kernel computes operation %d of the network", v)
		}
	}
	targets := 0
	for k, description := range p.Heads {
		h := &head{Head: description, targets: targets, losses: k * boards}
		if h.Loss == net.Policy && h.Size != game.NumActions {
			return nil, fmt.Errorf("the head %s: the policy loss needs outputs for %d actions, not %d", h.Name, game.NumActions, h.Size)
		}
		if lossCall(h.Loss, kernels.Shares{}) == nil {
			return nil, fmt.Errorf("the head %s has the loss %q, which no kernel computes", h.Name, h.Loss)
		}
		h.weights = h.targets + boards*h.Size
		targets = h.weights + boards
		w.heads = append(w.heads, h)
	}
	if most := max(boards*widest, targets); most > math.MaxInt32 {
		return nil, fmt.Errorf("a minibatch of %d positions has %d numbers in a layer, more than a kernel can count; a smaller learner.batch has fewer", boards, most)
	}
	w.norm = len(w.heads) * boards
	w.batch, w.results = m.staged(targets), m.staged(w.norm+1)
	return w, nil
}

// computes reports whether the tape has the operation of a program whose result is v.
func computes(p *net.Program, v net.Value) bool {
	o := p.Op(v)
	switch {
	case o.Kind == net.Pool:
		return o.Activation == net.Linear && len(o.Operands()) == 1
	case o.Kind < net.Conv3x3 || o.Kind > net.Dense || o.Activation > net.ReLU || o.RowBias != net.None && !o.Board:
		return false
	}
	// The gradient by what is added is set first, and then others are added to it. So nothing later
	// may read it, and not the product itself.
	for _, added := range o.Operands()[1:] {
		reads := func(later net.Op) bool { return slices.Contains(later.Operands(), added) }
		if added == o.X || slices.ContainsFunc(p.Ops[v+1:], reads) {
			return false
		}
	}
	return true
}

// build makes both passes for the input x.
func (n *network) build(x *value) {
	results := make([]*value, len(n.program.Ops))
	results[net.Input] = x
	n.operations(results, net.Input+1, n.program.Trunk+1)
	n.endForward()
	var heads [][]compute.Launch
	for _, h := range n.heads {
		n.head()
		n.operations(results, h.First, h.End)
		n.loss(h, results)
		heads, n.forward = append(heads, n.forward), nil
	}
	n.before.stage(heads...)
	n.finish(n.compared)
}

// operations puts the operations from to-1 on the tape.
func (n *network) operations(results []*value, from, to net.Value) {
	for v := from; v < to; v++ {
		o := n.program.Op(v)
		if o.Kind == net.Pool && n.inline(results, v) {
			v++ // the layer that reads it
			continue
		}
		if o.Kind == net.Pool {
			results[v] = n.pool(results[o.X])
			continue
		}
		var add terms
		if o.RowBias != net.None {
			add.boardBias = results[o.RowBias]
		}
		if o.Residual != net.None {
			add.residual = results[o.Residual]
		}
		x, w, relu := results[o.X], n.layers[o.Layer], o.Activation == net.ReLU
		if x.half != nil {
			results[v] = n.mixedLayer(x, w, add, relu, o.Kind == net.Conv1x1)
			continue
		}
		// A dense layer that reads a board reads the rows of its 64 squares as one row.
		results[v] = n.layer(x, w, add, relu)
	}
}

// loss puts the loss of a head on the tape.
func (n *network) loss(h *head, results []*value) {
	var outputs []*value
	for _, v := range h.Outputs {
		outputs = append(outputs, results[v])
	}
	y := n.join(outputs)
	y.slope = n.take(y.size())
	n.compared = append(n.compared, n.run([2]int{n.boards, 1}, lossCall(h.Loss, kernels.Shares{
		Logits: y.data, Batch: n.batch.buffer, Targets: h.targets, Weights: h.weights,
		Slopes: y.slope, Losses: n.results.buffer, At: h.losses, Size: h.Size,
	})))
}

// lossCall returns the kernel of a loss, whose arguments are those of Shares; nil if there is none.
func lossCall(l net.Loss, args kernels.Shares) kernels.Call {
	switch l {
	case net.Policy, net.Shares:
		return args
	case net.Chances:
		return kernels.Chances(args)
	}
	return nil
}
