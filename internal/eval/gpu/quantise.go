package gpu

import (
	"fmt"
	"math"

	"warren/internal/compute/kernels"
	"warren/internal/compute/kernels/hopper"
	"warren/internal/eval/cpu"
	"warren/net"
)

// quantised is the residual blocks of a network in whole numbers of 8 bits. It depends on the network alone,
// and not on the processor that makes it.
type quantised struct {
	blocks *hopper.Bytes
	limits *limits
}

// quantise rounds the blocks of a network. The steps of activations are those of channels (SmoothQuant: Xiao et
// al. 2023, https://arxiv.org/abs/2211.10438): 255 of them are at least the largest activation in the positions of
// calibration, and weights absorb the differences between channels. Weights are rounded to 1/127 of the
// largest of an output. Biases are corrected, so that the mean of each output is what it was.
func quantise(device string, n *net.Network) (*quantised, error) {
	b, err := cpu.NewInt16(n)
	if err != nil {
		return nil, err
	}
	all, _ := blocksOf(n.Program)
	seen := measure(b, calibration(b), all)
	q := &quantised{limits: newLimits(device, b, seen), blocks: &hopper.Bytes{Channels: n.Program.Op(n.Program.Trunk).Channels}}
	q.blocks.Input = inverse(seen[all.input].step)
	for i, block := range all.all {
		first := n.Program.Op(block.first)
		h := seen[block.first]
		w1, scale1, bias1 := roundConv(n, first.Layer, seen[first.X])
		w2, scale2, bias2 := roundConv(n, n.Program.Op(block.second).Layer, h)
		made := hopper.ByteBlock{
			Weights: [2][]int8{w1, w2},
			Scale:   [2][]float32{divided(scale1, h.step), divided(scale2, nil)},
			Bias:    [2][]float32{divided(bias1, h.step), divided(bias2, nil)},
			Step:    divided(h.step, nil), PerOne: make([]float32, len(h.step)),
		}
		if i+1 < len(all.all) {
			made.PerOne = inverse(seen[block.second].step)
		}
		if block.product != net.None {
			layer := n.Program.Op(block.product).Layer
			made.Pool = kernels.FromHalves(kernels.Form{Half: true}.Store(n.Weight(layer)))
			made.Bias[1] = sum(made.Bias[1], n.Bias(layer))
		}
		for _, v := range [][]float32{made.Scale[0], made.Scale[1], made.Bias[0], made.Bias[1], made.Pool} {
			for _, x := range v {
				if !(math.Abs(float64(x)) < 1e30) {
					return nil, fmt.Errorf("block %d has numbers that bytes cannot express", i)
				}
			}
		}
		q.blocks.Blocks = append(q.blocks.Blocks, made)
	}
	return q, nil
}

// roundConv rounds the weights of a convolution that reads x, [9][in][out], and returns also what a sum of
// each output is multiplied by, and its bias.
func roundConv(n *net.Network, layer int, x *activations) (rounded []int8, scale, bias []float64) {
	w, b := n.Weight(layer), n.Bias(layer)
	in, out := len(x.step), len(b)
	rounded, scale, bias = make([]int8, len(w)), make([]float64, out), make([]float64, out)
	for i, v := range w {
		o := i % out
		scale[o] = max(scale[o], math.Abs(float64(v))*x.step[i/out%in]/127)
	}
	for o := range scale {
		scale[o], bias[o] = max(scale[o], 1e-30), float64(b[o])*float64(64*x.boards)
	}
	for tap := range 9 {
		exact, bytes := x.read(tap)
		for i := range in {
			for o := range out {
				at := (tap*in+i)*out + o
				q := math.RoundToEven(float64(w[at]) * x.step[i] / scale[o])
				rounded[at] = int8(q)
				// The conversions keep products from being fused with sums, which not all processors do.
				bias[o] += float64(float64(w[at]) * exact[i])
				bias[o] -= float64(q * scale[o] * bytes[i])
			}
		}
	}
	for o := range bias {
		bias[o] /= float64(64 * x.boards)
	}
	return rounded, scale, bias
}

// divided returns a/b in fp32, or a if b is nil.
func divided(a, b []float64) []float32 {
	v := make([]float32, len(a))
	for i, x := range a {
		if b != nil {
			x /= b[i]
		}
		v[i] = float32(x)
	}
	return v
}

func inverse(a []float64) []float32 {
	v := make([]float32, len(a))
	for i, x := range a {
		v[i] = float32(1 / x)
	}
	return v
}
