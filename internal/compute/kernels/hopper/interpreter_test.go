package hopper_test

import (
	"bytes"
	"testing"

	"warren/internal/compute/kernels/hopper"
	"warren/internal/compute/kernels/hopper/hoppertest"
	"warren/internal/compute/ptx"
)

// interpret runs a tower's kernel, from its text, on boards of whole numbers, and returns what lies
// in y and what should.
func interpret(t *testing.T, tower hopper.Tower, text []byte, n *hoppertest.Network, boards int, seed uint64) (got, want []byte, err error) {
	t.Helper()
	module, err := ptx.Parse(text)
	if err != nil {
		return nil, nil, err
	}
	memory := ptx.NewMemory()
	put := func(b []byte) uint64 {
		at, data := memory.Allocate(max(len(b), 16))
		copy(data, b)
		return at
	}
	x := n.Boards(boards, seed)
	weights, biases, pool := n.Memory(tower)
	rows := boards
	if tower.Channels == 256 {
		rows = (boards + 3) / 4 * 4
	}
	y, got := memory.Allocate(rows * 64 * n.Channels * 2)
	err = module.Run(memory, ptx.Launch{
		Kernel: tower.Kernel, Grid: [3]int{(boards + tower.Boards - 1) / tower.Boards, 1, 1},
		Threads: hopper.Threads, Shared: tower.Shared(), Seed: seed,
		Arguments: []any{put(hoppertest.Halves(x)), y, put(weights), put(biases), put(pool), uint32(boards), uint32(n.Blocks), uint32(n.Every)},
	})
	want = hoppertest.Halves(n.Run(x))
	return got[:len(want)], want, err
}

// TestTowers runs the kernels on an interpreter that reports races, missing fences and wrong
// waits, and compares the results with plain Go.
func TestTowers(t *testing.T) {
	for _, tower := range towers(t) {
		t.Run(tower.Kernel, func(t *testing.T) {
			text, err := tower.PTX()
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range []struct{ blocks, every, boards int }{{2, 2, tower.Boards + 1}, {1, 0, 2}, {1, 1, 1}, {3, 2, 3}} {
				if testing.Short() && c.blocks > 1 {
					continue
				}
				n := hoppertest.New(tower.Channels, c.blocks, c.every, 1)
				got, want, err := interpret(t, tower, text, n, c.boards, 1)
				if err != nil {
					t.Errorf("%+v: %v", c, err)
				} else if !bytes.Equal(got, want) {
					t.Errorf("%+v: other bits than plain Go", c)
				}
			}
		})
	}
}
