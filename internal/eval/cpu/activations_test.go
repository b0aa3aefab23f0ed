package cpu

import (
	"math"
	"slices"
	"testing"

	"warren/internal/kernel/quant"
	"warren/internal/nettest"
	"warren/net"
)

// TestActivations compares the activations of the trunk's end with those in fp32, and those of positions
// together with each alone.
func TestActivations(t *testing.T) {
	n := nettest.Lively(t, net.Config{Blocks: 2, Channels: 32, PoolEvery: 2, PolicyChannels: 8, ValueChannels: 4, ValueHidden: 16}, 1)
	b, err := NewInt16(n)
	if err != nil {
		t.Fatal(err)
	}
	const count = 19 // more than a group
	positions := make([]net.Bits, count)
	for i := range positions {
		net.EncodeBits(nettest.Played(uint64(i), 9*i), &positions[i])
	}
	collect := func(positions []net.Bits) (all map[net.Value][]int16, steps map[net.Value][]float32) {
		all, steps = map[net.Value][]int16{}, map[net.Value][]float32{}
		b.Activations(positions, func(of net.Value, boards []int16, stride int, step []float32) {
			if stride != quant.Rounded(32) || len(boards)%(64*stride) != 0 {
				t.Fatalf("%d numbers with a stride of %d", len(boards), stride)
			}
			all[of], steps[of] = append(all[of], boards...), step
		})
		return all, steps
	}
	together, steps := collect(positions)
	if len(together) != 5 { // the stem and two convolutions a block
		t.Fatalf("there are %d results", len(together))
	}
	alone := map[net.Value][]int16{}
	for i := range positions {
		one, _ := collect(positions[i:][:1])
		for of, v := range one {
			alone[of] = append(alone[of], v...)
		}
	}
	for of := range together {
		if !slices.Equal(together[of], alone[of]) {
			t.Errorf("operation %d has other activations for each position alone", of)
		}
	}
	floats, err := newFloats(n)
	if err != nil {
		t.Fatal(err)
	}
	trunk := floats.weights.trunk
	end, stride := n.Program.Trunk, quant.Rounded(32)
	for i := range positions {
		boards := trunk.arithmetic.boards(trunk.slots, 1).(*floatBoards)
		trunk.forward(boards, positions[i:], 1)
		for k, want := range boards.data[trunk.last][:64*32] {
			got := float32(together[end][(i*64+k/32)*stride+k%32]) * steps[end][k%32]
			if math.Abs(float64(got-want)) > .02 {
				t.Fatalf("position %d, square %d, channel %d: %v, want %v", i, k/32, k%32, got, want)
			}
		}
	}
}
