package ampere_test

import (
	"bytes"
	"testing"

	"warren/internal/compute/kernels"
	"warren/internal/compute/kernels/ampere"
	"warren/internal/compute/kernels/hopper/hoppertest"
	"warren/internal/compute/ptx"
)

// memory returns the weights, biases and products as the kernel reads them.
func memory(k ampere.Network, n *hoppertest.Network) (weights, biases, products []byte) {
	weights, biases = k.Pack(n.Stem), kernels.Floats(n.StemBias)
	for i, w := range n.Convs {
		weights = append(weights, k.Pack(w)...)
		biases = append(biases, kernels.Floats(n.Biases[i])...)
	}
	for _, w := range n.Pools {
		products = append(products, kernels.Floats(w)...)
	}
	wide := append(n.FirstBias[:len(n.FirstBias):len(n.FirstBias)], make([]float32, k.Channels-len(n.FirstBias))...)
	return append(weights, k.PackFirst(n.First)...), append(biases, kernels.Floats(wide)...), products
}

// interpret runs a kernel, from its text, on positions and weights of whole numbers, and returns what lies
// in y and what should.
func interpret(t *testing.T, k ampere.Network, text []byte, n *hoppertest.Network, boards int, seed uint64) (got, want []byte, err error) {
	t.Helper()
	module, err := ptx.Parse(text)
	if err != nil {
		return nil, nil, err
	}
	m := ptx.NewMemory()
	put := func(b []byte) uint64 {
		at, data := m.Allocate(max(len(b), 16))
		copy(data, b)
		return at
	}
	weights, biases, products := memory(k, n)
	positions, planes := n.Positions(boards, seed)
	want = hoppertest.Halves(n.Whole(planes))
	y, got := m.Allocate(len(want))
	return got, want, module.Run(m, ptx.Launch{
		Kernel: k.Kernel(), Grid: [3]int{k.Groups(boards), 1, 1}, Threads: ampere.Threads, Shared: k.Shared(), Seed: seed,
		Arguments: []any{put(positions), y, put(weights), put(biases), put(products), uint32(n.Blocks), uint32(n.Every), uint32(hoppertest.Width)},
	})
}

// TestNetworks runs the kernels on an interpreter that reports races and wrong waits, and compares the
// results with plain Go.
func TestNetworks(t *testing.T) {
	for _, kernels := range modules(t) {
		text, err := kernels[0].PTX()
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range kernels {
			t.Run(k.Kernel(), func(t *testing.T) {
				for i, c := range []struct{ blocks, every, boards int }{{2, 2, k.Boards}, {1, 1, 2 * k.Boards}, {1, 0, k.Boards}} {
					if testing.Short() && i > 0 {
						continue
					}
					n := hoppertest.New(k.Channels, c.blocks, c.every, 1)
					got, want, err := interpret(t, k, text, n, c.boards, uint64(i))
					if err != nil {
						t.Errorf("%+v: %v", c, err)
					} else if !bytes.Equal(got, want) {
						t.Errorf("%+v: other bits than plain Go", c)
					}
				}
			})
		}
	}
}
