package cpu

import (
	"slices"
	"testing"

	"warren/game"
	"warren/internal/nettest"
	"warren/net"
)

// What a head learns by must not change what it computes. Nor does it matter how many products
// compute it.
func TestProgramsWithEqualOutputs(t *testing.T) {
	c := nettest.Everything
	n := nettest.Lively(t, c, 1)
	const batch = 5
	x := nettest.Inputs(1, batch)
	outputs := func(n *net.Network) []float32 {
		var got []float32
		for _, p := range []*Plan{newPlan(t, n, batch), tileBackends(t, n)[0].NewPlan(batch)} {
			policy, value, stopped := make([]float32, batch*game.NumActions), make([]float32, batch), make([]float32, batch)
			p.Forward(x, batch, policy, value, stopped)
			got = slices.Concat(got, policy, value, stopped)
		}
		return got
	}
	if !slices.Equal(outputs(nettest.WithOtherLosses(n)), outputs(n)) {
		t.Error("with other losses the outputs are different")
	}
	if plain, longer := nettest.WithProducts(n); !slices.Equal(outputs(longer), outputs(plain)) {
		t.Error("with more products the outputs are different")
	}
}
