package cpu

import (
	"slices"
	"testing"

	"warren/game"
	"warren/internal/nettest"
	"warren/net"
)

// What a head learns by must not change what it computes.
func TestLossChangesNoOutput(t *testing.T) {
	c := nettest.Configs[len(nettest.Configs)-1]
	n := nettest.Lively(t, c, 1)
	const batch = 5
	x := nettest.Inputs(1, batch)
	var first []float32
	for _, n := range []*net.Network{n, nettest.WithOtherLosses(n)} {
		var got []float32
		for _, p := range []*Plan{newPlan(t, n, batch), tileBackends(t, n)[0].NewPlan(batch)} {
			policy, value, stopped := make([]float32, batch*game.NumActions), make([]float32, batch), make([]float32, batch)
			p.Forward(x, batch, policy, value, stopped)
			got = slices.Concat(got, policy, value, stopped)
		}
		if first == nil {
			first = got
		}
		if !slices.Equal(got, first) {
			t.Error("with other losses the outputs are different")
		}
	}
}
