package data

import (
	"path/filepath"
	"testing"
)

// Headers say of every record what the record says, in every format version.
func TestHeaders(t *testing.T) {
	paths, err := filepath.Glob("testdata/v[123]/*.parquet")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no shards: %v", err)
	}
	for _, path := range paths {
		s, err := OpenShard(path)
		if err != nil {
			t.Fatal(err)
		}
		var records []*Record
		for r, err := range s.Records() {
			if err != nil {
				t.Fatal(err)
			}
			records = append(records, r)
		}
		now, err := WriteShard(t.TempDir(), 1, records)
		if err != nil {
			t.Fatal(err)
		}
		again, err := OpenShard(now.Path)
		if err != nil {
			t.Fatal(err)
		}
		for _, shard := range []*Shard{s, again} {
			n := 0
			for h, err := range shard.Headers() {
				r := records[n]
				if want := (Header{r.Game, r.Generation, r.Opening, r.Missing, r.Result, r.Turns}); err != nil || h != want {
					t.Errorf("%s, game %d: %+v, %v, want %+v", shard.path, n, h, err, want)
				}
				n++
			}
			if n != len(records) {
				t.Errorf("%s: %d headers of %d records", shard.path, n, len(records))
			}
		}
	}
}
