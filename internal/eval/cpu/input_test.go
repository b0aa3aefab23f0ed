package cpu

import (
	"slices"
	"testing"

	"warren/game"
	"warren/internal/nettest"
	"warren/net"
)

// TestForwardBits: positions in bits give the same bits as in numbers, in every format.
func TestForwardBits(t *testing.T) {
	const batch = 21 // more than a group
	n := nettest.Lively(t, nettest.Configs[0], 1)
	x, positions := make([]float32, batch*net.InputSize), make([]net.Bits, batch)
	for i := range batch {
		g := nettest.Played(uint64(i), 9*i)
		net.Encode(g, x[i*net.InputSize:])
		net.EncodeBits(g, &positions[i])
	}
	floats, err := newFloats(n)
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range append(tileBackends(t, n), floats, intBackend(t, n)) {
		plan := b.NewPlan(batch)
		policy, value := make([]float32, batch*game.NumActions), make([]float32, batch)
		plan.Forward(x, batch, policy, value)
		policy2, value2 := make([]float32, len(policy)), make([]float32, batch)
		plan.ForwardBits(positions, batch, policy2, value2)
		if !slices.Equal(policy, policy2) || !slices.Equal(value, value2) {
			t.Errorf("%s: bits and numbers differ", b.Attributes().Precision)
		}
	}
}
