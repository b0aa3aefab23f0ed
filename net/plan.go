package net

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"warren/game"
	"warren/net/internal/kernel"
)

// prepared holds a network's weights as inference wants them, made once and
// shared by all of its plans.
type prepared struct {
	once   sync.Once
	path   *kernel.Path
	stem   *kernel.Planes
	conv   *kernel.Conv
	blocks []preparedBlock

	head       *kernel.Dense // 1x1 convolutions of both heads, side by side
	headBias   []float32     // [head.Stride]
	step       *kernel.Dense // of all the heads' features, those of value by 0
	stepBias   []float32
	other      []float32 // [2*PolicyChannels][7]
	otherBias  []float32
	hidden     *kernel.Dense
	hiddenBias []float32 // [hidden.Stride]
	out        []float32
	outBias    float32
}

type preparedBlock struct {
	conv1, conv2 []float32
	bias1, bias2 []float32     // bias2 includes the pooling bias's own
	pool         *kernel.Dense // [2*Channels][Channels], nil without pooling
}

// prepare makes n's prepared weights unless they are made already.
func (n *Network) prepare() *prepared {
	p := &n.prepared
	p.once.Do(func() {
		c := n.Config
		data := func(name string) []float32 { return n.Param(name).Data }
		p.path = kernels()
		p.stem = kernel.NewPlanes(p.path, data("stem.weight"), data("stem.bias"), NumPlanes, c.Channels)
		p.conv = kernel.NewConv(p.path, c.Channels, c.Channels)
		row := make([]float32, p.conv.PackedSize()/c.Channels)
		conv := func(name string) []float32 {
			packed := make([]float32, p.conv.PackedSize())
			p.conv.Pack(packed, data(name), 0, c.Channels, row)
			return packed
		}
		for i := range c.Blocks {
			at := fmt.Sprintf("blocks.%d.", i)
			b := preparedBlock{
				conv1: conv(at + "conv1.weight"), conv2: conv(at + "conv2.weight"),
				bias1: slices.Clone(data(at + "conv1.bias")),
				bias2: slices.Clone(data(at + "conv2.bias")),
			}
			if c.Pooled(i) {
				b.pool = kernel.NewDense(p.path, data(at+"pool.weight"), 2*c.Channels, c.Channels)
				for j, v := range data(at + "pool.bias") {
					b.bias2[j] += v
				}
			}
			p.blocks = append(p.blocks, b)
		}

		pc, vc := c.PolicyChannels, c.ValueChannels
		both := make([]float32, 0, c.Channels*(pc+vc))
		for i := range c.Channels {
			both = append(both, data("policy.conv.weight")[i*pc:][:pc]...)
			both = append(both, data("value.conv.weight")[i*vc:][:vc]...)
		}
		padded := func(bias []float32, n int) []float32 { return append(bias, make([]float32, n-len(bias))...) }
		p.head = kernel.NewDense(p.path, both, c.Channels, pc+vc)
		p.headBias = padded(slices.Concat(data("policy.conv.bias"), data("value.conv.bias")), p.head.Stride())
		p.step = kernel.NewDense(p.path, padded(slices.Clone(data("policy.step.weight")), p.head.Stride()*4), p.head.Stride(), 4)
		p.stepBias = slices.Clone(data("policy.step.bias"))
		p.other = slices.Clone(data("policy.other.weight"))
		p.otherBias = slices.Clone(data("policy.other.bias"))
		p.hidden = kernel.NewDense(p.path, data("value.hidden.weight"), 64*vc, c.ValueHidden)
		p.hiddenBias = padded(slices.Clone(data("value.hidden.bias")), p.hidden.Stride())
		p.out = slices.Clone(data("value.out.weight"))
		p.outBias = data("value.out.bias")[0]
	})
	return p
}

// Plan runs a network on batches of positions. It holds all the memory that
// takes, so Forward does not allocate; it is for one goroutine at a time, and
// any number of plans share the network's prepared weights.
//
// A position's results are the same bits whatever batch it is in and wherever
// in it.
type Plan struct {
	config   Config
	weights  *prepared
	maxBatch int
	group    int // positions that go through all layers together

	x, h, y []float32 // activations, [group][64][Channels]
	conv    kernel.Scratch
	stem    kernel.PlanesScratch
	pooled  []float32 // [group][2*Channels], means and maxima
	bias    []float32 // [group][Channels], a pooled block's biases

	features []float32 // head features of a board, [64][head.Stride]
	summary  []float32 // [2][head.Stride], their means and maxima
	steps    []float32 // step logits of a board, [64][step.Stride]
	values   []float32 // value features, [group][64*ValueChannels]
	hidden   []float32 // [group][hidden.Stride]
}

// NewPlan makes a plan of n for batches of at most maxBatch positions, at
// least 1. The first plan of a network prepares its weights; later changes to
// n.Params have no effect on plans.
func NewPlan(n *Network, maxBatch int) *Plan {
	c, w := n.Config, n.prepare()
	maxBatch = max(maxBatch, 1)
	group := min(maxBatch, w.conv.Group())
	rows := kernel.Rounded(group)
	floats := func(k int) []float32 { return make([]float32, k) }
	board := group * 64 * c.Channels
	return &Plan{
		config: c, weights: w, maxBatch: maxBatch, group: group,
		x: floats(board), h: floats(board), y: floats(board),
		pooled: floats(rows * 2 * c.Channels), bias: floats(rows * c.Channels),
		features: floats(64 * w.head.Stride()), summary: floats(2 * w.head.Stride()), steps: floats(64 * w.step.Stride()),
		values: floats(rows * 64 * c.ValueChannels), hidden: floats(rows * w.hidden.Stride()),
	}
}

// MaxBatch is the largest batch Forward takes.
func (p *Plan) MaxBatch() int { return p.maxBatch }

// Forward evaluates the encoded positions x, [batch][64][NumPlanes]. It fills
// policy, [batch][263], with the logits of all actions in the mover's frame,
// legal or not, and value, [batch], with the mover's chance to win. A batch
// greater than MaxBatch, or a slice too short for the batch, is a programming
// error and panics.
func (p *Plan) Forward(x []float32, batch int, policy, value []float32) {
	if batch > p.maxBatch {
		panic(fmt.Sprintf("net: a batch of %d positions for a plan of at most %d", batch, p.maxBatch))
	}
	for first := 0; first < batch; first += p.group {
		n := min(p.group, batch-first)
		p.forward(x[first*InputSize:], n, policy[first*game.NumActions:], value[first:])
	}
}

// forward evaluates a group.
func (p *Plan) forward(x []float32, batch int, policy, value []float32) {
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
		p.heads(policy[i*game.NumActions:][:game.NumActions], i)
	}
	p.valueHead(value[:batch])
}

// poolBias returns each board's bias of a pooled block's second convolution,
// from the means and maxima of p.h.
func (p *Plan) poolBias(b *preparedBlock, batch int) []float32 {
	ch := p.config.Channels
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

// heads fills the logits of one board of the batch and its row of p.values.
func (p *Plan) heads(policy []float32, board int) {
	w, ch, pc, vc := p.weights, p.config.Channels, p.config.PolicyChannels, p.config.ValueChannels
	stride := w.head.Stride()
	w.head.Multiply(p.features, p.x[board*64*ch:], 64)
	w.path.Rectify(p.features, w.headBias, 64)

	values := p.values[board*64*vc:][:64*vc]
	for s := range 64 {
		copy(values[s*vc:], p.features[s*stride+pc:][:vc])
	}
	w.step.Multiply(p.steps, p.features, 64)
	for s := range 64 {
		for d, v := range p.steps[s*w.step.Stride():][:4] {
			policy[d*64+s] = v + w.stepBias[d]
		}
	}
	mean, peak := p.summary[:stride], p.summary[stride:]
	w.path.Pool(mean, peak, p.features)
	other := policy[game.Pass:]
	copy(other, w.otherBias)
	addProduct(other, mean[:pc], w.other)
	addProduct(other, peak[:pc], w.other[pc*len(other):])
}

// addProduct adds the row x times the matrix w, [len(x)][len(y)], to y.
func addProduct(y, x, w []float32) {
	for _, v := range x {
		row := w[:len(y)]
		for j := range y {
			y[j] += v * row[j]
		}
		w = w[len(y):]
	}
}

// valueHead fills the chances of the boards whose features are in p.values.
func (p *Plan) valueHead(value []float32) {
	w := p.weights
	stride := w.hidden.Stride()
	w.hidden.Multiply(p.hidden, p.values, len(value))
	w.path.Rectify(p.hidden, w.hiddenBias, len(value))
	for i := range value {
		logit := float64(w.outBias)
		for j, v := range p.hidden[i*stride:][:len(w.out)] {
			logit += float64(v) * float64(w.out[j])
		}
		value[i] = float32(1 / (1 + math.Exp(-logit)))
	}
}
