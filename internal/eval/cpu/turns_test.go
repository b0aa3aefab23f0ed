package cpu

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"warren/game"
	"warren/internal/kernel"
	"warren/internal/kernel/quant"
	"warren/internal/nettest"
	"warren/net"
)

// BenchmarkTurns compares whole numbers with fp32, in turns, and where there is a tile unit both with what it
// computes. The ratio is that of the lowest times of the first two.
func BenchmarkTurns(b *testing.B) {
	for _, c := range []net.Config{
		{Blocks: 3, Channels: 32, PoolEvery: 3, PolicyChannels: 16, ValueChannels: 4, ValueHidden: 32},
		{Blocks: 6, Channels: 64, PoolEvery: 3, PolicyChannels: 32, ValueChannels: 8, ValueHidden: 64},
		{Blocks: 10, Channels: 128, PoolEvery: 3, PolicyChannels: 32, ValueChannels: 8, ValueHidden: 64},
	} {
		n := nettest.Lively(b, c, 1)
		for _, unit := range quant.Units() {
			path, err := kernel.Named(strings.TrimSuffix(unit.Name(), "-vnni"))
			if err != nil {
				b.Fatal(err)
			}
			if path.Name == "go" {
				continue
			}
			var plans turns
			plans.add(b, "fp32", func() (*Backend, error) { return newPath(n, path) })
			plans.add(b, "int16", func() (*Backend, error) { return newIntBackend(n, unit, path) })
			if _, err := quant.OnTiles(); err == nil {
				plans.add(b, "int16/amx", func() (*Backend, error) { return NewInt16OnTiles(n) })
				plans.add(b, "amx", func() (*Backend, error) { return NewAMX(n) })
			}
			for _, batch := range []int{1, 8, 32} {
				b.Run(fmt.Sprintf("%v/%s/batch=%d", c, unit.Name(), batch), func(b *testing.B) { plans.run(b, batch) })
			}
		}
	}
}

// turns are back ends that evaluate in turns.
type turns struct {
	names    []string
	backends []*Backend
}

func (t *turns) add(b *testing.B, name string, open func() (*Backend, error)) {
	backend, err := open()
	if err != nil {
		b.Fatal(err)
	}
	t.names, t.backends = append(t.names, name), append(t.backends, backend)
}

func (t *turns) run(b *testing.B, batch int) {
	x := make([]net.Bits, batch)
	for i := range batch {
		net.EncodeBits(nettest.Played(uint64(i), 100), &x[i])
	}
	policy, value := make([]float32, batch*game.NumActions), make([]float32, batch)
	plans, lowest := make([]*Plan, len(t.backends)), make([]time.Duration, len(t.backends))
	for i, backend := range t.backends {
		plans[i], lowest[i] = backend.NewPlan(batch), 1<<60
	}
	for b.Loop() {
		for i, p := range plans {
			begin := time.Now()
			p.Forward(x, batch, policy, value)
			lowest[i] = min(lowest[i], time.Since(begin))
		}
	}
	for i, name := range t.names {
		b.ReportMetric(float64(batch)/lowest[i].Seconds(), name+"/s")
	}
	b.ReportMetric(float64(lowest[0])/float64(lowest[1]), "ratio")
}
