package hopper_test

import (
	"bytes"
	"slices"
	"testing"

	"warren/internal/compute/kernels/hopper"
	"warren/internal/compute/kernels/hopper/hoppertest"
	"warren/internal/compute/ptx"
)

// interpret runs a tower's kernel, from its text, on boards of whole numbers, and returns what lies
// in y and what should. With an even seed, y is x.
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
	weights, biases, pool := n.Memory(tower)
	rounded := (boards + 3) / 4 * 4
	launch := ptx.Launch{
		Kernel: tower.Kernel, Grid: [3]int{(boards + tower.Boards - 1) / tower.Boards, 1, 1},
		Threads: hopper.Threads, Shared: tower.Shared(), Seed: seed,
	}
	numbers := []any{uint32(boards), uint32(n.Blocks), uint32(n.Every)}
	parameters := []any{put(weights), put(biases), put(pool)}
	if tower.Whole {
		positions, planes := n.Positions(boards, seed)
		want = hoppertest.Halves(n.Whole(planes))
		y, data := memory.Allocate(len(want))
		scratch, _ := memory.Allocate(rounded * 64 * n.Channels * 2)
		launch.Arguments = slices.Concat([]any{put(positions), y, scratch}, parameters, numbers, []any{uint32(hoppertest.Width)})
		return data, want, module.Run(memory, launch)
	}
	x := n.Boards(boards, seed)
	want = hoppertest.Halves(n.Run(x))
	size := len(want)
	if tower.Channels == 256 {
		size = rounded * 64 * n.Channels * 2
	}
	y, data := memory.Allocate(size)
	from := y
	if seed%2 == 0 {
		copy(data, hoppertest.Halves(x))
	} else {
		from = put(hoppertest.Halves(x))
	}
	launch.Arguments = slices.Concat([]any{from, y}, parameters, numbers)
	return data[:len(want)], want, module.Run(memory, launch)
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
			for i, c := range []struct{ blocks, every, boards int }{{1, 1, 1}, {2, 2, tower.Boards + 1}, {1, 0, 2}} {
				if testing.Short() && i > 0 {
					continue
				}
				n := hoppertest.New(tower.Channels, c.blocks, c.every, 1)
				got, want, err := interpret(t, tower, text, n, c.boards, uint64(i))
				if err != nil {
					t.Errorf("%+v: %v", c, err)
				} else if !bytes.Equal(got, want) {
					t.Errorf("%+v: other bits than plain Go", c)
				}
			}
		})
	}
}
