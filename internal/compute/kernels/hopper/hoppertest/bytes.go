package hoppertest

import (
	"math"
	"math/rand/v2"

	"warren/internal/compute/kernels"
	"warren/internal/compute/kernels/hopper"
)

// NewBytes returns blocks of random numbers, whose activations use most of a byte and are sometimes
// limited. Every block whose number, counted from 1, is a multiple of every has a product.
func NewBytes(channels, blocks, every int, seed uint64) *hopper.Bytes {
	rng := rand.New(rand.NewPCG(seed, 4))
	between := func(n int, low, high float64) []float32 {
		v := make([]float32, n)
		for i := range v {
			v[i] = float32(low + (high-low)*rng.Float64())
		}
		return v
	}
	t := &hopper.Bytes{Channels: channels, Input: between(channels, 10, 60)}
	deviation := 255.0 / 4 * 127 / 2 * math.Sqrt(float64(9*channels)) // of a sum, roughly
	for i := range blocks {
		var b hopper.ByteBlock
		for k := range b.Weights {
			for range 9 * channels * channels {
				b.Weights[k] = append(b.Weights[k], int8(rng.IntN(255)-127))
			}
		}
		b.Scale[0], b.Bias[0] = between(channels, 60/deviation, 120/deviation), between(channels, -30, 90)
		b.Scale[1], b.Bias[1] = between(channels, .2/deviation, .4/deviation), between(channels, -.3, .3)
		b.Step, b.PerOne = between(channels, .01, .02), between(channels, 60, 120)
		if every > 0 && (i+1)%every == 0 {
			b.Pool = kernels.FromHalves(Halves(between(2*channels*channels, -.05, .05)))
		}
		t.Blocks = append(t.Blocks, b)
	}
	return t
}
