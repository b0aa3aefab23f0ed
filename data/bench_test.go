package data

import (
	"math/rand/v2"
	"os"
	"testing"
	"unsafe"
)

func BenchmarkSample(b *testing.B) {
	w := NewWindow(10_000_000, outcomes())
	for _, r := range randomRecords(0, 100, 0) {
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

func BenchmarkShard(b *testing.B) {
	records := randomRecords(0, 64, 0)
	dir := b.TempDir()
	path := writeShard(b, dir, records)
	info, err := os.Stat(path)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("write", func(b *testing.B) {
		for b.Loop() {
			writeShard(b, dir, records)
		}
		b.ReportMetric(float64(b.N*len(records))/b.Elapsed().Seconds(), "games/s")
		b.ReportMetric(float64(info.Size())/float64(len(records)), "B/game")
	})
	b.Run("read", func(b *testing.B) {
		for b.Loop() {
			if got, err := readShard(path); err != nil || len(got) != len(records) {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(b.N*len(records))/b.Elapsed().Seconds(), "games/s")
	})
	b.Run("scan", func(b *testing.B) {
		for b.Loop() {
			if _, err := Scan(dir, nil); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(b.N*len(records))/b.Elapsed().Seconds(), "games/s")
	})
	b.Run("validate", func(b *testing.B) {
		for b.Loop() {
			for _, r := range records {
				if err := r.Validate(); err != nil {
					b.Fatal(err)
				}
			}
		}
		b.ReportMetric(float64(b.N*len(records))/b.Elapsed().Seconds(), "games/s")
	})
	b.Run("hash", func(b *testing.B) {
		for b.Loop() {
			for _, r := range records {
				r.Hash()
			}
		}
		b.ReportMetric(float64(b.N*len(records))/b.Elapsed().Seconds(), "games/s")
	})
}
