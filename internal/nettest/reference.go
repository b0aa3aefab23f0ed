// Package nettest provides what the tests of networks share: new networks and their files, a
// computation that knows the architecture from its settings and not from net.Program, networks in
// which every number matters, and positions. The tests of packages internal/eval/cpu,
// internal/learn/graph and net/onnx compare their results with it.
package nettest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"warren/game"
	"warren/net"
)

// Reference computes a network in float64, without its program. It returns the
// outputs of all heads, before their activations, for one position.
func Reference(n *net.Network, position *net.Bits) (outputs [][]float64) {
	c := n.Config
	x := make([]float32, net.InputSize)
	position.Expand(x)
	p := func(name string) []float32 { return n.Param(name).Data }
	act := make([]float64, len(x))
	for i, v := range x {
		act[i] = float64(v)
	}
	relu := func(a []float64) []float64 {
		for i := range a {
			a[i] = max(0, a[i])
		}
		return a
	}

	act = relu(refConv(act, p("stem.weight"), p("stem.bias"), net.NumPlanes, c.Channels))
	for i := range c.Blocks {
		at := fmt.Sprintf("blocks.%d.", i)
		h := relu(refConv(act, p(at+"conv1.weight"), p(at+"conv1.bias"), c.Channels, c.Channels))
		y := refConv(h, p(at+"conv2.weight"), p(at+"conv2.bias"), c.Channels, c.Channels)
		if c.Pooled(i) {
			g := refDense(refPool(h, c.Channels), p(at+"pool.weight"), p(at+"pool.bias"))
			for j := range y {
				y[j] += g[j%c.Channels]
			}
		}
		for j := range y {
			y[j] += act[j]
		}
		act = relu(y)
	}

	square := func(layer string, x []float64) []float64 {
		w, bias := n.Param(layer+".weight"), p(layer+".bias")
		return refRows(x, w.Shape[0], w.Data, bias)
	}
	dense := func(layer string, x []float64) []float64 { return refDense(x, p(layer+".weight"), p(layer+".bias")) }
	for _, h := range c.Heads() {
		conv := relu(square(h.Name+".conv", act))
		channels := len(conv) / 64
		var out []float64
		switch h.Name {
		case "policy", "reply", "soft_policy":
			out = append(channelsFirst(square(h.Name+".step", conv)), dense(h.Name+".other", refPool(conv, channels))...)
		case "value", "stopped":
			out = dense(h.Name+".out", relu(dense(h.Name+".hidden", conv)))
		case "survival":
			out = channelsFirst(square(h.Name+".out", conv))
		default: // a few numbers for the whole board
			out = dense(h.Name+".out", refPool(conv, channels))
		}
		outputs = append(outputs, out)
	}
	return outputs
}

// channelsFirst returns [channel][square] of [square][channel].
func channelsFirst(x []float64) []float64 {
	y, channels := make([]float64, len(x)), len(x)/64
	for i, v := range x {
		y[i%channels*64+i/channels] = v
	}
	return y
}

// Chance is the logistic function of a logit.
func Chance(logit float64) float64 { return 1 / (1 + math.Exp(-logit)) }

func refConv(x []float64, w, bias []float32, in, out int) []float64 {
	y := make([]float64, 64*out)
	for s := range 64 {
		for tap := range 9 {
			r, f := s/8+tap/3-1, s%8+tap%3-1
			if r < 0 || r > 7 || f < 0 || f > 7 {
				continue
			}
			for i := range in {
				for o := range out {
					y[s*out+o] += x[(r*8+f)*in+i] * float64(w[(tap*in+i)*out+o])
				}
			}
		}
		for o := range out {
			y[s*out+o] += float64(bias[o])
		}
	}
	return y
}

// refDense is x times w, [len(x)][len(bias)], plus bias.
func refDense(x []float64, w, bias []float32) []float64 {
	y := make([]float64, len(bias))
	for o := range y {
		y[o] = float64(bias[o])
		for i, v := range x {
			y[o] += v * float64(w[i*len(y)+o])
		}
	}
	return y
}

// refRows is refDense of every square.
func refRows(x []float64, in int, w, bias []float32) (y []float64) {
	for s := range 64 {
		y = append(y, refDense(x[s*in:][:in], w, bias)...)
	}
	return y
}

// refPool is the mean and the maximum over the squares.
func refPool(x []float64, in int) []float64 {
	y := make([]float64, 2*in)
	for i := range in {
		peak := math.Inf(-1)
		for s := range 64 {
			y[i] += x[s*in+i] / 64
			peak = max(peak, x[s*in+i])
		}
		y[in+i] = peak
	}
	return y
}

// Lively returns a network in which every number matters: unlike in a new
// network, biases and last layers are not near zero.
func Lively(t testing.TB, c net.Config, seed uint64) *net.Network {
	t.Helper()
	n := New(t, c, seed)
	r := rand.New(rand.NewPCG(seed, 2))
	for _, p := range n.Params {
		scale := 0.2 // of a bias
		if len(p.Shape) > 1 {
			scale = math.Sqrt(1.4 / float64(len(p.Data)/p.Shape[len(p.Shape)-1]))
		}
		for j := range p.Data {
			p.Data[j] = float32(r.NormFloat64() * scale)
		}
	}
	return n
}

// ForPlay returns the network without the heads that no search reads, and with the same parameters otherwise.
func ForPlay(t testing.TB, n *net.Network) *net.Network {
	t.Helper()
	c := n.Config
	var names []string
	for _, h := range c.Heads() {
		if h.Auxiliary && h.Play {
			names = append(names, h.Name)
		}
	}
	c.Auxiliary = strings.Join(names, " ")
	m := New(t, c, 1)
	for _, p := range m.Params {
		copy(p.Data, n.Param(p.Name).Data)
	}
	return m
}

// Played is a game after some random actions, the setup included.
func Played(seed uint64, actions int) *game.Game {
	r := rand.New(rand.NewPCG(seed, 3))
	g := game.New()
	var buf []game.Action
	for range actions {
		buf = g.Legal(buf[:0])
		if len(buf) == 0 {
			break
		}
		g.Play(buf[r.IntN(len(buf))])
	}
	return g
}

// Inputs encodes positions of random games, and noise for every fourth.
func Inputs(seed uint64, batch int) []net.Bits {
	x := make([]net.Bits, batch)
	r := rand.New(rand.NewPCG(seed, 4))
	for i := range x {
		if i%4 == 3 {
			for p := range x[i].Values {
				x[i].Squares[p], x[i].Values[p] = r.Uint64(), float32(r.NormFloat64()*0.5)
			}
			continue
		}
		net.EncodeBits(Played(seed+uint64(i), r.IntN(150)), &x[i])
	}
	return x
}

// Everything is an architecture with every kind of block and every head.
var Everything = net.Config{Blocks: 2, Channels: 16, PoolEvery: 2, PolicyChannels: 6, ValueChannels: 4, ValueHidden: 8,
	Auxiliary: strings.Join(net.AuxiliaryHeads(), " ")}

// Configs lists architectures of many kinds.
var Configs = []net.Config{
	{Blocks: 2, Channels: 16, PoolEvery: 0, PolicyChannels: 8, ValueChannels: 4, ValueHidden: 16},
	{Blocks: 3, Channels: 8, PoolEvery: 1, PolicyChannels: 1, ValueChannels: 1, ValueHidden: 1},
	{Blocks: 5, Channels: 24, PoolEvery: 2, PolicyChannels: 7, ValueChannels: 3, ValueHidden: 9},
	{Blocks: 2, Channels: 40, PoolEvery: 2, PolicyChannels: 16, ValueChannels: 8, ValueHidden: 32},
	{Blocks: 4, Channels: 64, PoolEvery: 3, PolicyChannels: 32, ValueChannels: 8, ValueHidden: 64},
	Everything,
}

// WithProducts returns two networks that compute the same by programs of different length. Both are
// copies of n in which the trunk ignores every second number that pooling leaves. The first has
// weights of zero for it. The second has another product and a ReLU, which keep the one number, turn
// the sign of the next and so make it zero: no mean or maximum is negative.
func WithProducts(n *net.Network) (plain, longer *net.Network) {
	plain = n.Clone()
	for v := range plain.Program.Trunk {
		if o := plain.Program.Op(v); o.Kind == net.Dense {
			weight := plain.Weight(o.Layer)
			for row := o.Channels; row < len(weight); row += 2 * o.Channels {
				clear(weight[row:][:o.Channels])
			}
		}
	}
	m := n.Clone()
	p := m.Program
	old, now := p.Ops, make([]net.Value, len(p.Ops)) // now is where the results of the operations are
	p.Ops = nil
	at := func(v net.Value) net.Value {
		if v == net.None {
			return v
		}
		return now[v]
	}
	for v, o := range old {
		o.X, o.RowBias, o.Residual = at(o.X), at(o.RowBias), at(o.Residual)
		p.Ops = append(p.Ops, o)
		if o.Kind == net.Pool && net.Value(v) < p.Trunk {
			l := net.Layer{Name: fmt.Sprintf("sign.%d", v), Shape: []int{o.Channels, o.Channels}, In: o.Channels}
			product := o
			product.Kind, product.X, product.Layer, product.Activation = net.Dense, net.Value(len(p.Ops)-1), len(p.Layers), net.ReLU
			p.Ops = append(p.Ops, product)
			p.Layers = append(p.Layers, l)
			weight := make([]float32, o.Channels*o.Channels)
			for i := range o.Channels {
				weight[i*o.Channels+i] = float32(1 - i%2*2)
			}
			m.Params = append(m.Params, net.Param{Name: l.Weight(), Shape: l.Shape, Data: weight},
				net.Param{Name: l.Bias(), Shape: []int{o.Channels}, Data: make([]float32, o.Channels)})
		}
		now[v] = net.Value(len(p.Ops) - 1)
	}
	p.Trunk = now[p.Trunk]
	for i := range p.Heads {
		h := &p.Heads[i]
		size := h.End - h.First
		h.First = now[h.First]
		h.End = h.First + size
		for j := range h.Outputs {
			h.Outputs[j] = now[h.Outputs[j]]
		}
	}
	return plain, m
}

// WithOtherLosses returns a copy of a network whose heads learn by other losses. What the heads
// compute is the same.
func WithOtherLosses(n *net.Network) *net.Network {
	m := n.Clone()
	for i, h := range m.Program.Heads {
		m.Program.Heads[i].Loss = map[net.Loss]net.Loss{net.Policy: net.Chances, net.Chances: net.Shares, net.Shares: net.Chances}[h.Loss]
	}
	return m
}
