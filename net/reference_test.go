package net

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"warren/game"
)

// reference is the architecture as its description reads, in float64: one
// position x, [64][NumPlanes], to 263 logits and a chance.
func reference(n *Network, x []float32) (policy []float64, value float64) {
	c := n.Config
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

	act = relu(refConv(act, p("stem.weight"), p("stem.bias"), NumPlanes, c.Channels))
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

	pf := relu(refRows(act, c.Channels, p("policy.conv.weight"), p("policy.conv.bias")))
	steps := refRows(pf, c.PolicyChannels, p("policy.step.weight"), p("policy.step.bias"))
	policy = make([]float64, game.NumActions)
	for s := range 64 {
		for d := range 4 {
			policy[d*64+s] = steps[s*4+d]
		}
	}
	copy(policy[256:], refDense(refPool(pf, c.PolicyChannels), p("policy.other.weight"), p("policy.other.bias")))

	vf := relu(refRows(act, c.Channels, p("value.conv.weight"), p("value.conv.bias")))
	hidden := relu(refDense(vf, p("value.hidden.weight"), p("value.hidden.bias")))
	logit := refDense(hidden, p("value.out.weight"), p("value.out.bias"))[0]
	return policy, 1 / (1 + math.Exp(-logit))
}

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

// lively makes a network whose every number matters: biases and last layers
// are not near zero as in a new network.
func lively(t testing.TB, c Config, seed uint64) *Network {
	t.Helper()
	n, err := New(c, seed)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(seed, 2))
	for i, l := range c.layers() {
		scale := 1.0
		switch {
		case len(l.shape) == 1:
			scale = 0.2
		case l.std > 0:
			scale = math.Sqrt(1.4/float64(size(l.shape)/l.shape[len(l.shape)-1])) / l.std
		}
		for j := range n.Params[i].Data {
			if l.std == 0 {
				n.Params[i].Data[j] = float32(r.NormFloat64() * scale)
			} else {
				n.Params[i].Data[j] *= float32(scale)
			}
		}
	}
	return n
}

// played is a game after some random actions, the setup included.
func played(seed uint64, actions int) *game.Game {
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

// inputs encodes positions of random games, and noise for every fourth.
func inputs(seed uint64, batch int) []float32 {
	x := make([]float32, batch*InputSize)
	r := rand.New(rand.NewPCG(seed, 4))
	for i := range batch {
		row := x[i*InputSize:][:InputSize]
		if i%4 == 3 {
			for j := range row {
				row[j] = float32(r.NormFloat64() * 0.5)
			}
			continue
		}
		Encode(played(seed+uint64(i), r.IntN(150)), row)
	}
	return x
}

var testConfigs = []Config{
	{Blocks: 2, Channels: 16, PoolEvery: 0, PolicyChannels: 8, ValueChannels: 4, ValueHidden: 16},
	{Blocks: 3, Channels: 8, PoolEvery: 1, PolicyChannels: 1, ValueChannels: 1, ValueHidden: 1},
	{Blocks: 5, Channels: 24, PoolEvery: 2, PolicyChannels: 7, ValueChannels: 3, ValueHidden: 9},
	{Blocks: 2, Channels: 40, PoolEvery: 2, PolicyChannels: 16, ValueChannels: 8, ValueHidden: 32},
	{Blocks: 4, Channels: 64, PoolEvery: 3, PolicyChannels: 32, ValueChannels: 8, ValueHidden: 64},
}
