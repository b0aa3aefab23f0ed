package hopper_test

import (
	"bytes"
	"slices"
	"testing"

	"warren/internal/compute/kernels"
	"warren/internal/compute/kernels/hopper"
	"warren/internal/compute/kernels/hopper/hoppertest"
	"warren/internal/compute/ptx"
)

// byteTowers are the towers in bytes.
func byteTowers(t *testing.T) (all []hopper.Tower) {
	t.Helper()
	for _, tower := range towers(t) {
		if !tower.Whole {
			all = append(all, tower.InBytes())
		}
	}
	return all
}

// interpretBytes is interpret for a tower in bytes, with numbers of any size in the blocks.
func interpretBytes(tower hopper.Tower, text []byte, n *hopper.Bytes, every, boards int, seed uint64) (got, want []byte, err error) {
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
	positions, planes := (&hoppertest.Network{}).Positions(boards, seed)
	want = hoppertest.Halves(n.Passed(planes))
	y, data := memory.Allocate(len(want))
	scratch, _ := memory.Allocate((boards + 3) / 4 * 4 * 64 * n.Channels * 2)
	stem, first := n.Passing()
	weights, biases, scales, pool := n.Memory(tower)
	weights = slices.Concat(tower.PackStem(stem), weights, tower.PackFirst(first))
	biases = slices.Concat(make([]float32, n.Channels), biases, make([]float32, hopper.Rows))
	return data, want, module.Run(memory, ptx.Launch{
		Kernel: tower.Kernel, Grid: [3]int{(boards + tower.Boards - 1) / tower.Boards, 1, 1},
		Threads: hopper.Threads, Shared: tower.Shared(), Seed: seed,
		Arguments: []any{
			put(positions), y, scratch, put(weights), put(kernels.Floats(biases)), put(kernels.Floats(scales)), put(hoppertest.Halves(pool)),
			uint32(boards), uint32(len(n.Blocks)), uint32(every), uint32(hopper.Rows),
		},
	})
}

// TestBytes checks that most bytes are neither 0 nor limited, and some are.
func TestBytes(t *testing.T) {
	for _, channels := range []int{64, 128, 256} {
		n := hoppertest.NewBytes(channels, 2, 1, 1)
		_, planes := (&hoppertest.Network{}).Positions(1, 1)
		limited, zeros, y := 0, 0, n.Passed(planes)
		for _, v := range y {
			switch q := v * 90; { // of the steps per 1
			case q < .5:
				zeros++
			case q > 254.5:
				limited++
			}
		}
		if limited == 0 || zeros == 0 || limited+zeros > len(y)*2/3 {
			t.Errorf("%d channels: of %d bytes, %d are 0 and %d are limited", channels, len(y), zeros, limited)
		}
	}
}

// TestByteTowers is TestTowers in bytes.
func TestByteTowers(t *testing.T) {
	for _, tower := range byteTowers(t) {
		if testing.Short() && tower.Channels > 64 {
			continue
		}
		t.Run(tower.Kernel, func(t *testing.T) {
			text, err := tower.PTX()
			if err != nil {
				t.Fatal(err)
			}
			cases := []struct{ blocks, every, boards int }{{2, 2, 3}, {1, 0, tower.Boards + 1}}
			if tower.Channels > 64 || testing.Short() {
				cases = cases[:1]
			}
			for i, c := range cases {
				got, want, err := interpretBytes(tower, text, hoppertest.NewBytes(tower.Channels, c.blocks, c.every, 1), c.every, c.boards, uint64(i))
				if err != nil {
					t.Errorf("%+v: %v", c, err)
				} else if !bytes.Equal(got, want) {
					t.Errorf("%+v: other bits than plain Go", c)
				}
			}
		})
	}
}

// TestPackBytes compares packed weights with their description, a number at a time.
func TestPackBytes(t *testing.T) {
	for _, tower := range byteTowers(t) {
		c := tower.Channels
		w := make([]int8, 9*c*c)
		for i := range w {
			w[i] = int8(i % 251)
		}
		packed := tower.PackBytes(w)
		for group := range c / tower.Outputs() {
			for pass := range tower.Passes() {
				for stage := range tower.Steps() {
					for file := range 3 {
						slice := (stage/3 + group*tower.Outputs()/32) % (c / 32)
						for i, v := range packed[:hopper.Block] {
							in := slice*32 + i/(hopper.Block/2)*16 + i%2*8 + i%16/2
							out := group*tower.Outputs() + pass*64 + i/16%64
							if want := w[((stage%3*3+file)*c+in)*c+out]; int8(v) != want {
								t.Fatalf("%s: the weight of input %d and output %d is %d, want %d", tower.Kernel, in, out, int8(v), want)
							}
						}
						packed = packed[hopper.Block:]
					}
				}
			}
		}
		if len(packed) > 0 {
			t.Errorf("%s: %d bytes too many", tower.Kernel, len(packed))
		}
	}
}

// TestByteMutations is TestMutations in bytes.
func TestByteMutations(t *testing.T) {
	for k, tower := range byteTowers(t) {
		if !*everything && (tower.Channels > 64 || testing.Short()) {
			continue
		}
		t.Run(tower.Kernel, func(t *testing.T) {
			n := hoppertest.NewBytes(tower.Channels, 2, 2, 1)
			text, err := tower.PTX()
			if err != nil {
				t.Fatal(err)
			}
			mutate(t, k, text, func(lines []string, i int) bool { return harmless(tower, lines, i) }, func(text []byte, seed uint64) error {
				_, _, err := interpretBytes(tower, text, n, 2, tower.Boards, seed)
				return err
			})
		})
	}
}
