package replay

import (
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"warren/data"
	"warren/data/datatest"
)

// Windows that are filled as shards are saved equal those that are restored from them, although
// games arrive in any order from several goroutines. A damaged shard loses only its own games.
func TestWriterAndRestoreAgree(t *testing.T) {
	for name, byNumber := range map[string]bool{"by arrival": false, "by number": true} {
		t.Run(name, func(t *testing.T) {
			c := Config{WindowPositions: 500, HeldOutFraction: 0.2}
			dir := t.TempDir()
			live, without := NewWindows(c), NewWindows(c)
			damaged := ""
			w := data.NewWriter(dir, data.WriterConfig{Games: 3, Every: time.Hour, ByNumber: byNumber, Saved: func(s data.ShardInfo, records []*data.Record) {
				lost := damaged == "" && records[0].Game > 200
				if lost {
					damaged = s.Path
				}
				for _, r := range records {
					live.Add(s.Arrival, r)
					if !lost {
						without.Add(s.Arrival, r)
					}
				}
			}})
			var players sync.WaitGroup
			for i := range uint64(4) {
				players.Go(func() {
					for _, r := range datatest.Records(100*i, 15, 45) {
						if err := w.Put(r); err != nil {
							t.Error(err)
						}
					}
				})
			}
			players.Wait()
			if err := w.Flush(); err != nil {
				t.Fatal(err)
			}
			restored := func() *Windows {
				x, err := data.Scan(dir, nil)
				if err != nil {
					t.Fatal(err)
				}
				p := NewWindows(c)
				if err := p.Restore(Source{Index: x}); err != nil {
					t.Fatal(err)
				}
				return p
			}
			same := func(what string, got, want *Windows) {
				if !slices.Equal(got.Train.keys(), want.Train.keys()) || !slices.Equal(got.HeldOut.keys(), want.HeldOut.keys()) {
					t.Errorf("%s: restored %v and %v, want %v and %v", what,
						got.Train.keys(), got.HeldOut.keys(), want.Train.keys(), want.HeldOut.keys())
				}
			}
			same("all shards", restored(), live)
			file, err := os.ReadFile(damaged)
			if err != nil {
				t.Fatal(err)
			}
			file[len(file)/2] ^= 1
			if err := os.WriteFile(damaged, file, 0o666); err != nil {
				t.Fatal(err)
			}
			same("a damaged shard", restored(), without)
		})
	}
}
