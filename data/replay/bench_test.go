package replay

import (
	"math/rand/v2"
	"testing"
	"unsafe"

	"warren/data/datatest"
)

func BenchmarkSample(b *testing.B) {
	w := NewWindow(10_000_000, outcomes())
	for _, r := range datatest.Records(0, 100, 0) {
		w.Add(0, r)
	}
	rng := rand.New(rand.NewPCG(1, 1))
	samples := make([]Sample, 256)
	b.ReportAllocs()
	for b.Loop() {
		w.Sample(rng, samples)
	}
	bytes := 0
	for _, p := range w.games {
		bytes += int(unsafe.Sizeof(*p)) + 2*cap(p.actions) + 2*cap(p.plies) + 4*cap(p.offsets) + cap(p.targets)
	}
	b.ReportMetric(float64(b.N)*float64(len(samples))/b.Elapsed().Seconds(), "samples/s")
	b.ReportMetric(float64(bytes)/float64(w.Positions()), "B/position")
	b.ReportMetric(float64(w.Positions())/float64(w.Games()), "positions/game")
}
