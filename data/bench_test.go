package data

import (
	"os"
	"testing"
)

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
