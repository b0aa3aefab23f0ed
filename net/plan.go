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
	stem   *kernel.Planes
	blocks []preparedBlock

	head     []float32 // 1x1 convolutions of both heads, packed side by side
	headBias []float32
	step     []float32 // packed
	stepBias []float32
	other    []float32 // [2*PolicyChannels][7]
	otherBias,
	hidden []float32 // packed
	hiddenBias []float32
	out        []float32
	outBias    float32
}

type preparedBlock struct {
	conv1, conv2 *kernel.Conv
	bias1, bias2 []float32 // bias2 includes the pooling bias's own
	pool         []float32 // [2*Channels][Channels], nil without pooling
}

// prepare makes n's prepared weights unless they are made already.
func (n *Network) prepare() *prepared {
	p := &n.prepared
	p.once.Do(func() {
		c := n.Config
		data := func(name string) []float32 { return n.Param(name).Data }
		p.stem = kernel.NewPlanes(data("stem.weight"), data("stem.bias"), NumPlanes, c.Channels)
		for i := range c.Blocks {
			at := fmt.Sprintf("blocks.%d.", i)
			b := preparedBlock{
				conv1: kernel.NewConv(data(at+"conv1.weight"), c.Channels, c.Channels),
				conv2: kernel.NewConv(data(at+"conv2.weight"), c.Channels, c.Channels),
				bias1: slices.Clone(data(at + "conv1.bias")),
				bias2: slices.Clone(data(at + "conv2.bias")),
			}
			if c.Pooled(i) {
				b.pool = slices.Clone(data(at + "pool.weight"))
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
		p.head = kernel.PackColumns(both, c.Channels, pc+vc)
		p.headBias = slices.Concat(data("policy.conv.bias"), data("value.conv.bias"))
		p.step = kernel.PackColumns(data("policy.step.weight"), pc, 4)
		p.stepBias = slices.Clone(data("policy.step.bias"))
		p.other = slices.Clone(data("policy.other.weight"))
		p.otherBias = slices.Clone(data("policy.other.bias"))
		p.hidden = kernel.PackColumns(data("value.hidden.weight"), 64*vc, c.ValueHidden)
		p.hiddenBias = slices.Clone(data("value.hidden.bias"))
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

	x, h, y []float32 // activations, [maxBatch][64][Channels]
	conv    *kernel.Scratch
	stem    []float32 // scratch of the stem
	pooled  []float32 // [2*Channels], mean and max of one board
	bias    []float32 // [maxBatch][Channels], a pooled block's biases

	squares  []float32 // left panel of 4 squares, [Channels][4]
	features []float32 // head features of 4 squares, [PolicyChannels+ValueChannels][4]
	summary  []float32 // [2*PolicyChannels], mean and max of one board
	steps    []float32 // step logits of 4 squares, [4][4]
	values   []float32 // value features of 4 boards, [64*ValueChannels][4]
	hidden   []float32 // [ValueHidden][4]
}

// NewPlan makes a plan of n for batches of at most maxBatch positions, at
// least 1. The first plan of a network prepares its weights; later changes to
// n.Params have no effect on plans.
func NewPlan(n *Network, maxBatch int) *Plan {
	c := n.Config
	maxBatch = max(maxBatch, 1)
	floats := func(k int) []float32 { return make([]float32, k) }
	features := c.PolicyChannels + c.ValueChannels
	return &Plan{
		config: c, weights: n.prepare(), maxBatch: maxBatch,
		x: floats(maxBatch * 64 * c.Channels), h: floats(maxBatch * 64 * c.Channels), y: floats(maxBatch * 64 * c.Channels),
		conv: kernel.NewScratch(c.Channels), stem: floats(9 * c.Channels),
		pooled: floats(2 * c.Channels), bias: floats(maxBatch * c.Channels),
		squares: floats(kernel.Rows * c.Channels), features: floats(kernel.Rows * (features + 1)),
		summary: floats(2 * c.PolicyChannels), steps: floats(kernel.Rows * 4),
		values: floats(kernel.Rows * 64 * c.ValueChannels), hidden: floats(kernel.Rows * (c.ValueHidden + 1)),
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
	w := p.weights
	w.stem.Forward(p.x, x, batch, p.stem)
	for i := range w.blocks {
		b := &w.blocks[i]
		b.conv1.Forward(p.h, p.x, b.bias1, nil, batch, p.conv)
		bias := b.bias2
		if b.pool != nil {
			p.poolBias(b, batch)
			bias = p.bias[:batch*p.config.Channels]
		}
		b.conv2.Forward(p.y, p.h, bias, p.x, batch, p.conv)
		p.x, p.y = p.y, p.x
	}
	for first := 0; first < batch; first += kernel.Rows {
		n := min(kernel.Rows, batch-first)
		for i := range n {
			b := first + i
			p.policyHead(policy[b*game.NumActions:][:game.NumActions], b, i)
		}
		p.valueHead(value[first:][:n])
	}
}

// poolBias sets p.bias to each board's bias of a pooled block's second
// convolution, from the means and maxima of p.h.
func (p *Plan) poolBias(b *preparedBlock, batch int) {
	ch := p.config.Channels
	mean, peak := p.pooled[:ch], p.pooled[ch:]
	for i := range batch {
		clear(p.pooled) // p.h is rectified: no maximum is below zero
		for s := range 64 {
			for c, v := range p.h[(i*64+s)*ch:][:ch] {
				mean[c] += v
				peak[c] = max(peak[c], v)
			}
		}
		for c := range mean {
			mean[c] /= 64
		}
		bias := p.bias[i*ch:][:ch]
		copy(bias, b.bias2)
		addProduct(bias, p.pooled, b.pool)
	}
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

// policyHead fills the logits of one board of the batch, and the board's value
// features as column lane of p.values.
func (p *Plan) policyHead(policy []float32, board, lane int) {
	const rows = kernel.Rows
	w, ch, pc := p.weights, p.config.Channels, p.config.PolicyChannels
	values := p.values
	mean, peak := p.summary[:pc], p.summary[pc:]
	clear(p.summary)
	for s := 0; s < 64; s += rows {
		kernel.PackRows(p.squares, p.x[(board*64+s)*ch:], ch)
		kernel.Product(p.features, p.squares, w.head, ch, len(w.headBias))
		for j, b := range w.headBias {
			f := (*[rows]float32)(p.features[rows*j:])
			f[0], f[1], f[2], f[3] = max(0, f[0]+b), max(0, f[1]+b), max(0, f[2]+b), max(0, f[3]+b)
			if j < pc {
				mean[j] += f[0] + f[1] + f[2] + f[3]
				peak[j] = max(peak[j], f[0], f[1], f[2], f[3])
			} else {
				for i, v := range f {
					values[((s+i)*p.config.ValueChannels+j-pc)*rows+lane] = v
				}
			}
		}
		kernel.Product(p.steps, p.features, w.step, pc, 4)
		for d, b := range w.stepBias {
			for i, v := range p.steps[rows*d:][:rows] {
				policy[d*64+s+i] = v + b
			}
		}
	}
	for j := range mean {
		mean[j] /= 64
	}
	other := policy[game.Pass:]
	copy(other, w.otherBias)
	addProduct(other, p.summary, w.other)
}

// valueHead fills the chances of up to 4 boards from p.values.
func (p *Plan) valueHead(value []float32) {
	w := p.weights
	kernel.Product(p.hidden, p.values, w.hidden, 64*p.config.ValueChannels, p.config.ValueHidden)
	for i := range value {
		logit := float64(w.outBias)
		for j, b := range w.hiddenBias {
			logit += float64(max(0, p.hidden[kernel.Rows*j+i]+b)) * float64(w.out[j])
		}
		value[i] = float32(1 / (1 + math.Exp(-logit)))
	}
}
