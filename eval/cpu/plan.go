package cpu

import (
	"fmt"

	"warren/internal/kernel"
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

	x, h, y []float32 // activations, [group][64][Channels]
	conv    kernel.Scratch
	stem    kernel.PlanesScratch
	pooled  []float32 // [group][2*Channels], means and maxima
	bias    []float32 // [group][Channels], a pooled block's biases
	heads   headScratch
}

// NewPlan makes a plan for batches of at most maxBatch positions, at least 1.
func (b *Backend) NewPlan(maxBatch int) *Plan {
	w := b.weights
	ch := w.config.Channels
	maxBatch = max(maxBatch, 1)
	group := min(maxBatch, w.conv.Group())
	rows := kernel.Rounded(group)
	floats := func(k int) []float32 { return make([]float32, k) }
	board := group * 64 * ch
	return &Plan{
		weights: w, maxBatch: maxBatch, group: group,
		x: floats(board), h: floats(board), y: floats(board),
		pooled: floats(rows * 2 * ch), bias: floats(rows * ch),
		heads: w.heads.scratch(group),
	}
}

// MaxBatch is the largest batch Forward takes.
func (p *Plan) MaxBatch() int { return p.maxBatch }

// Forward evaluates the encoded positions x, [batch][64][NumPlanes]. It fills
// the outputs of the heads that play needs, in the order of net.Config.Heads:
// first [batch][263], the logits of all actions in the mover's frame, legal or
// not, then [batch][1], the mover's chance to win. A batch greater than
// MaxBatch, or a slice too short for the batch, is a programming error and
// panics.
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
	w := p.weights
	w.stem.Forward(p.x, x, batch, &p.stem)
	for i := range w.blocks {
		b := &w.blocks[i]
		w.conv.Forward(p.h, p.x, b.conv1, b.bias1, nil, batch, &p.conv)
		bias := b.bias2
		if b.pool != nil {
			bias = p.poolBias(b, batch)
		}
		w.conv.Forward(p.y, p.h, b.conv2, bias, p.x, batch, &p.conv)
		p.x, p.y = p.y, p.x
	}
	for i := range batch {
		p.board(p.x[i*64*w.config.Channels:], i, out)
	}
	p.rest(batch, out)
}

// poolBias returns each board's bias of a pooled block's second convolution,
// from the means and maxima of p.h.
func (p *Plan) poolBias(b *block, batch int) []float32 {
	ch := p.weights.config.Channels
	for i := range batch {
		both := p.pooled[i*2*ch:][:2*ch]
		p.weights.path.Pool(both[:ch], both[ch:], p.h[i*64*ch:])
	}
	b.pool.Multiply(p.bias, p.pooled, batch)
	bias := p.bias[:batch*ch]
	for i := range batch {
		row := bias[i*ch:][:ch]
		for j, v := range b.bias2[:len(row)] {
			row[j] += v
		}
	}
	return bias
}
