package cpu

import (
	"fmt"

	"warren/net"
)

// Plan runs a network on batches of positions. It holds all the memory that
// takes, so Forward does not allocate. It is for one goroutine at a time, and
// any number of plans share a back end's weights.
//
// A position's results are the same bits whatever batch it is in and wherever
// in it.
type Plan struct {
	weights  *weights
	maxBatch int
	group    int // positions that go through all layers together
	trunk    run
	heads    headScratch
}

// weights are a network's parameters as inference wants them. All plans of a
// back end share them.
type weights struct {
	trunk trunk
	heads headWeights
}

// NewPlan makes a plan for batches of at most maxBatch positions, at least 1.
func (b *Backend) NewPlan(maxBatch int) *Plan {
	w := b.weights
	maxBatch = max(maxBatch, 1)
	group := min(maxBatch, w.trunk.group())
	return &Plan{
		weights: w, maxBatch: maxBatch, group: group,
		trunk: w.trunk.room(group), heads: w.heads.scratch(group),
	}
}

// Forward evaluates the encoded positions x, [batch][64][NumPlanes]. It fills
// the outputs of the heads that play needs, in the order of net.Config.Heads:
// first [batch][263], the logits of all actions in the mover's frame, legal or
// not, then [batch][1], the mover's chance to win, then, if the network has the head,
// [batch][1], the chance that the game is stopped. Heads whose output is not asked for
// are left out. A batch greater than that of NewPlan, or a slice too short for the batch,
// is a programming error and panics.
func (p *Plan) Forward(x []float32, batch int, outputs ...[]float32) {
	if batch > p.maxBatch {
		panic(fmt.Sprintf("cpu: a batch of %d positions for a plan of at most %d", batch, p.maxBatch))
	}
	heads := p.weights.heads.heads
	var room [4][]float32
	out := append(room[:0], outputs...)
	for first := 0; first < batch; first += p.group {
		n := min(p.group, batch-first)
		p.forward(x[first*net.InputSize:], n, out)
		for k := range out {
			out[k] = out[k][n*heads[k].size:]
		}
	}
}

// forward evaluates a group.
func (p *Plan) forward(x []float32, batch int, out [][]float32) {
	p.trunk.tower(x, batch)
	for i := 0; i < batch; {
		n := p.trunk.features(p.heads.features, i, batch)
		p.boards(i, n, out)
		i += n
	}
	p.rest(batch, out)
}
