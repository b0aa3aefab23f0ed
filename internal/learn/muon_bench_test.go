package learn

import (
	"math/rand/v2"
	"strings"
	"testing"

	"warren/net"
)

// BenchmarkMuonStep is a step on a small network, lively and with a head that has learned nothing for
// a long time.
func BenchmarkMuonStep(b *testing.B) {
	for _, name := range []string{"lively", "quiet"} {
		b.Run(name, func(b *testing.B) {
			n, err := net.New(net.Config{Blocks: 3, Channels: 32, PoolEvery: 3, PolicyChannels: 16, ValueChannels: 4, ValueHidden: 32, Auxiliary: "stopped"}, 1)
			if err != nil {
				b.Fatal(err)
			}
			c := defaultOptimizerConfig()
			c.Method, c.Momentum = Muon, 0.95
			o, err := newMuon(c, n.Params)
			if err != nil {
				b.Fatal(err)
			}
			rng := rand.New(rand.NewPCG(1, 2))
			gradient := make([][]float32, len(n.Params))
			for i, p := range n.Params {
				gradient[i] = make([]float32, len(p.Data))
				for j := range gradient[i] {
					gradient[i][j] = float32(1e-3 * rng.NormFloat64())
				}
			}
			step := func() {
				if err := o.Step(func(i int) []float32 { return gradient[i] }, 1e-3); err != nil {
					b.Fatal(err)
				}
			}
			step()
			if name == "quiet" {
				for i, p := range n.Params {
					if strings.HasPrefix(p.Name, "stopped") {
						clear(gradient[i])
					}
				}
				for range 1800 {
					step()
				}
			}
			for b.Loop() {
				step()
			}
		})
	}
}
