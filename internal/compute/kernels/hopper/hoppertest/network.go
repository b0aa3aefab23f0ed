// Package hoppertest computes residual blocks in plain Go, for tests of the kernels of packages ampere and
// hopper. The weights are small whole numbers, so every sum is exact in any order,
// and the kernels must give the same bits.
package hoppertest

import (
	"encoding/binary"
	"math"
	"math/rand/v2"

	"warren/internal/compute/kernels"
	"warren/internal/compute/kernels/hopper"
)

// Network is a number of residual blocks.
type Network struct {
	Channels, Blocks, Every int
	Convs, Biases, Pools    [][]float32 // [9][in][out] and [out] of two convolutions a block, [2*in][out]

	// What Positions and Whole use.
	Stem, StemBias   []float32 // [9][Planes][out]
	First, FirstBias []float32 // [channels][Width]
}

// Width is the number of outputs of the first layers.
const Width = 48

// New returns blocks of whole numbers. An output has so few weights that are not zero that a few
// blocks stay within the numbers of fp16.
func New(channels, blocks, every int, seed uint64) *Network {
	n := &Network{Channels: channels, Blocks: blocks, Every: every}
	rng := rand.New(rand.NewPCG(seed, 1))
	// fill returns numbers from -most to most, one in so many of which are drawn.
	fill := func(numbers, one, most int) []float32 {
		v := make([]float32, numbers)
		for i := range v {
			if rng.IntN(one) == 0 {
				v[i] = float32(rng.IntN(2*most+1) - most)
			}
		}
		return v
	}
	for b := range blocks {
		for range 2 {
			n.Convs = append(n.Convs, fill(9*channels*channels, channels, 1))
			n.Biases = append(n.Biases, fill(channels, 1, 3))
		}
		if n.Pooled(b) {
			n.Pools = append(n.Pools, fill(2*channels*channels, channels/2, 1))
		}
	}
	n.Stem, n.StemBias = fill(9*hopper.Planes*channels, hopper.Planes, 2), fill(channels, 1, 3)
	n.First, n.FirstBias = fill(channels*Width, channels/8, 1), fill(Width, 1, 3)
	return n
}

// Pooled reports whether block b, counted from 0, has a bias from means and maxima.
func (n *Network) Pooled(b int) bool { return n.Every > 0 && (b+1)%n.Every == 0 }

// Boards returns whole numbers as an input of the blocks, [board][64][channels].
func (n *Network) Boards(boards int, seed uint64) []float32 {
	x := make([]float32, boards*64*n.Channels)
	rng := rand.New(rand.NewPCG(seed, 2))
	for i := range x {
		x[i] = float32(rng.IntN(4))
	}
	return x
}

// Positions returns random positions as a network's input, and the planes that they stand for,
// [board][64][Planes].
func (n *Network) Positions(boards int, seed uint64) (positions []byte, planes []float32) {
	rng := rand.New(rand.NewPCG(seed, 3))
	planes = make([]float32, boards*64*hopper.Planes)
	for b := range boards {
		var masks, values []byte
		for p := range hopper.Planes {
			mask, v := rng.Uint64()&rng.Uint64(), float32(1+rng.IntN(3))
			masks = binary.LittleEndian.AppendUint64(masks, mask)
			values = binary.LittleEndian.AppendUint32(values, math.Float32bits(v))
			for square := range 64 {
				if mask>>square&1 == 1 {
					planes[(b*64+square)*hopper.Planes+p] = v
				}
			}
		}
		positions = append(append(positions, masks...), values...)
	}
	return positions, planes
}

// Whole returns what the first layers make of planes, [board][64][Width].
func (n *Network) Whole(planes []float32) []float32 {
	c := n.Channels
	x := n.Run(rectified(convolve(planes, n.Stem, n.StemBias, c, nil, nil)))
	y := make([]float32, len(x)/c*Width)
	for s := range len(x) / c {
		row := y[s*Width:][:Width]
		copy(row, n.FirstBias)
		for i, v := range x[s*c:][:c] {
			for o, w := range n.First[i*Width:][:Width] {
				row[o] += v * w
			}
		}
	}
	return rectified(y)
}

// Run returns what the blocks make of boards, rounded to fp16 after each convolution.
func (n *Network) Run(x []float32) []float32 {
	pool := n.Pools
	for b := range n.Blocks {
		h := n.conv(x, 2*b, nil, nil)
		var bias []float32
		if n.Pooled(b) {
			bias, pool = n.product(h, pool[0]), pool[1:]
		}
		x = n.conv(h, 2*b+1, bias, x)
	}
	return x
}

// conv is a convolution with bias, a bias for each board, residual and ReLU.
func (n *Network) conv(x []float32, layer int, perBoard, residual []float32) []float32 {
	return rectified(convolve(x, n.Convs[layer], n.Biases[layer], n.Channels, perBoard, residual))
}

// rectified returns numbers after a ReLU, rounded to fp16.
func rectified(v []float32) []float32 {
	for i := range v {
		v[i] = max(v[i], 0)
	}
	return kernels.FromHalves(Halves(v))
}

// convolve returns the sums of a convolution w, [9][in][c], of which most are 0, with a bias, and perhaps a
// bias for each board and a residual.
func convolve(x, w, bias []float32, c int, perBoard, residual []float32) []float32 {
	inputs := len(w) / (9 * c)
	y := make([]float32, len(x)/inputs*c)
	for s := range len(x) / inputs {
		sums := y[s*c:][:c]
		copy(sums, bias)
		for o := range sums {
			if perBoard != nil {
				sums[o] += perBoard[s/64*c+o]
			}
			if residual != nil {
				sums[o] += residual[s*c+o]
			}
		}
	}
	for at, weight := range w {
		if weight == 0 {
			continue
		}
		tap, i, o := at/c/inputs, at/c%inputs, at%c
		for s := range len(x) / inputs {
			rank, file := s%64/8+tap/3-1, s%8+tap%3-1
			if rank >= 0 && rank < 8 && file >= 0 && file < 8 {
				y[s*c+o] += x[(s/64*64+rank*8+file)*inputs+i] * weight
			}
		}
	}
	return y
}

// product returns [board][channels]: the product of the means and maxima of the channels.
func (n *Network) product(h, w []float32) []float32 {
	c := n.Channels
	var out []float32
	for ; len(h) > 0; h = h[64*c:] {
		sums := make([]float32, c)
		for i := range c {
			mean, most := float32(0), h[i]
			for square := range 64 {
				mean += h[square*c+i] / 64
				most = max(most, h[square*c+i])
			}
			for o := range sums {
				sums[o] += mean*w[i*c+o] + most*w[(c+i)*c+o]
			}
		}
		out = append(out, sums...)
	}
	return out
}

// Memory returns the weights, biases and pool weights as the kernel reads them.
func (n *Network) Memory(t hopper.Tower) (weights, biases, pool []byte) {
	if t.Whole {
		weights, biases = t.PackStem(n.Stem), kernels.Floats(n.StemBias)
	}
	for i, w := range n.Convs {
		weights = append(weights, t.Pack(w)...)
		biases = append(biases, kernels.Floats(n.Biases[i])...)
	}
	for _, w := range n.Pools {
		pool = append(pool, Halves(w)...)
	}
	if t.Whole {
		weights = append(weights, t.PackFirst(n.First)...)
		biases = append(biases, kernels.Floats(append(n.FirstBias[:Width:Width], make([]float32, hopper.Rows-Width)...))...)
	}
	return weights, biases, pool
}

// Halves returns numbers in fp16.
func Halves(v []float32) []byte { return kernels.Form{Half: true}.Store(v) }
