package gpu

import (
	"fmt"
	"math"

	"warren/game"
	"warren/net"
)

// network puts the forward pass of a network and its losses on a tape.
type network struct {
	*tape
	config net.Config
	layers map[string]matrix // by the name of the layer
	heads  []*head
	batch  *staging // targets and weights of the heads
	losses *staging // of every head and position
}

// head is a head with the places of its numbers.
type head struct {
	net.Head
	size                     int
	targets, weights, losses int // places in batch and losses
}

// lossKernels names the kernel of each loss that a head can name.
var lossKernels = map[net.Loss]string{net.Policy: "shares", net.Shares: "shares", net.Chances: "chances"}

// newNetwork allocates what is the same for every network. It fails if n is not made of layers
// and losses that the kernels compute.
func newNetwork(m *memory, n *net.Network, boards int) (*network, error) {
	w := &network{tape: newTape(m, boards, n.NumParams()), config: n.Config, layers: map[string]matrix{}}
	at := 0
	for i := 0; i+1 < len(n.Params); i += 2 {
		p, bias := n.Params[i], n.Params[i+1]
		name := p.Name[:max(0, len(p.Name)-len(".weight"))]
		if p.Name != name+".weight" || bias.Name != name+".bias" {
			return nil, fmt.Errorf("the parameters %s and %s are not the weight and the bias of a layer", p.Name, bias.Name)
		}
		m := matrix{at: at, taps: 1, out: len(bias.Data)}
		if len(p.Shape) == 4 {
			m.taps = 9
		}
		m.in = len(p.Data) / m.taps / m.out
		w.layers[name] = m
		at += m.size()
	}
	targets, widest := 0, 64*max(net.NumPlanes, n.Config.Channels)
	for k, description := range n.Config.Heads() {
		h := &head{Head: description, size: description.Size(), targets: targets, losses: k * boards}
		if h.Loss == net.Policy && h.size != game.NumActions {
			return nil, fmt.Errorf("the head %s: the policy loss needs outputs for %d actions, not %d", h.Name, game.NumActions, h.size)
		}
		if lossKernels[h.Loss] == "" {
			return nil, fmt.Errorf("the head %s has the loss %q, which no kernel computes", h.Name, h.Loss)
		}
		for _, l := range h.Layers {
			if l.Form == net.Squares {
				widest = max(widest, 64*l.Out)
			} else {
				widest = max(widest, l.Out)
			}
		}
		h.weights = h.targets + boards*h.size
		targets = h.weights + boards
		w.heads = append(w.heads, h)
	}
	if most := max(boards*widest, targets); most > math.MaxInt32 {
		return nil, fmt.Errorf("a minibatch of %d positions has %d numbers in a layer, more than a kernel can count; a smaller learner.batch has fewer", boards, most)
	}
	w.batch, w.losses = m.staged(targets), m.staged(len(w.heads)*boards)
	return w, nil
}

// build makes both passes for the input x.
func (n *network) build(x *value) {
	trunk := n.layer(x, n.layers["stem"], terms{}, true)
	for i := range n.config.Blocks {
		trunk = n.block(i, trunk)
	}
	for _, h := range n.heads {
		n.head(h, trunk)
	}
	n.finish()
}

// block returns the result of residual block i applied to x.
func (n *network) block(i int, x *value) *value {
	at := fmt.Sprintf("blocks.%d.", i)
	h := n.layer(x, n.layers[at+"conv1"], terms{}, true)
	add := terms{residual: x}
	if n.config.Pooled(i) {
		add.boardBias = n.layer(n.pool(h), n.layers[at+"pool"], terms{}, false)
	}
	return n.layer(h, n.layers[at+"conv2"], add, true)
}

// head adds the layers of a head on the trunk, and its loss.
func (n *network) head(h *head, trunk *value) {
	results, pooled := map[string]*value{"": trunk}, map[string]*value{}
	for _, l := range h.Layers {
		x := results[l.From]
		if l.Form == net.Pooled {
			if pooled[l.From] == nil {
				pooled[l.From] = n.pool(x)
			}
			x = pooled[l.From]
		}
		// A layer of form Board reads the rows of a board's 64 squares as one row.
		results[l.Name] = n.layer(x, n.layers[l.Name], terms{}, l.Relu)
	}
	var outputs []*value
	for _, name := range h.Outputs {
		outputs = append(outputs, results[name])
	}
	y := n.join(outputs)
	y.slope = n.take(y.size())
	n.onForward(lossKernels[h.Loss], [2]int{n.boards, 1}, y.data, n.batch.buffer, h.targets, h.weights, y.slope, n.losses.buffer, h.losses, h.size)
}
