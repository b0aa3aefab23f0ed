package cpu

import (
	"fmt"

	"warren/net"
)

// Plan runs a network on batches of positions. It holds all the memory that
// this takes, so Forward does not allocate. Only one goroutine may use a plan
// at a time. Any number of plans can share the weights of a back end.
//
// The results of a position have the same bits in every batch, wherever the
// position is in it.
type Plan struct {
	weights  *weights
	maxBatch int
	group    int // positions that go through all layers together
	boards   boards
	heads    headScratch
}

// weights holds a network's parameters in the form that inference needs. All
// plans of a back end share them.
type weights struct {
	trunk *trunk
	heads headWeights
}

// NewPlan makes a plan for batches of at most maxBatch positions, at least 1.
func (b *Backend) NewPlan(maxBatch int) *Plan {
	w := b.weights
	maxBatch = max(maxBatch, 1)
	group := min(maxBatch, w.trunk.arithmetic.group())
	return &Plan{
		weights: w, maxBatch: maxBatch, group: group,
		boards: w.trunk.arithmetic.boards(w.trunk.slots, group), heads: w.heads.scratch(group),
	}
}

// Forward evaluates the first positions of x, batch of them. It fills outputs,
// one for each head that play needs, in the order of net.Config.Heads:
//
//   - [batch][263], the logits of all actions, legal or not, in the mover's
//     frame;
//   - [batch][1], the mover's chance to win;
//   - [batch][1], the chance that the game is stopped, if the network has that
//     head.
//
// Forward leaves out the last heads if fewer outputs are given. It panics if
// the batch is larger than that of NewPlan, or if a slice is too short for the
// batch.
func (p *Plan) Forward(x []net.Bits, batch int, outputs ...[]float32) {
	if batch > p.maxBatch {
		panic(fmt.Sprintf("cpu: a batch of %d positions for a plan of at most %d", batch, p.maxBatch))
	}
	heads := p.weights.heads.heads
	var room [4][]float32
	out := append(room[:0], outputs...)
	for first := 0; first < batch; first += p.group {
		n := min(p.group, batch-first)
		p.forward(x[first:], n, out)
		for k := range out {
			out[k] = out[k][n*heads[k].Size:]
		}
	}
}

// forward evaluates a group.
func (p *Plan) forward(x []net.Bits, batch int, out [][]float32) {
	w := p.weights.trunk
	w.forward(p.boards, x, batch)
	for i := 0; i < batch; {
		n := p.boards.features(p.heads.features, w.last, i, batch)
		p.board(i, n, out)
		i += n
	}
	p.rest(batch, out)
}
