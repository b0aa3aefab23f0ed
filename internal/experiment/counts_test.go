package experiment

import (
	"os"
	"path/filepath"
	"testing"

	"warren/data"
	"warren/game"
)

// The games of an experiment are counted, whatever its directory is called, and once.
func TestCounts(t *testing.T) {
	d, r := dir(filepath.Join(t.TempDir(), "experiment[1]")), Run{Variant: "a", Seed: 1}
	for _, path := range []string{d.games(r), filepath.Dir(d.signs(r))} {
		if err := os.MkdirAll(path, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	g, record := game.New(), &data.Record{Run: r.String(), Network: "n"}
	for range 40 {
		a := g.Legal(nil)[0]
		record.Decisions = append(record.Decisions, data.Decision{Action: a, Value: 0.25, ValueWeight: 1, Visits: []data.Visit{{Action: a, Count: 3}}})
		g.Play(a)
	}
	record.Turns = int32(g.Turns())
	info, err := data.WriteShard(d.games(r), 1, []*data.Record{record})
	if err != nil {
		t.Fatal(err)
	}
	before := newCounts(d)
	tallies, err := before.of(r)
	if err != nil || len(tallies) != 1 || tallies[0].Games != 1 {
		t.Errorf("counted %+v, %v", tallies, err)
	}

	// Once converted to another format, the games have another file. They count once.
	if err := os.Remove(info.Path); err != nil {
		t.Fatal(err)
	}
	record.Settings = "other bytes"
	if info, err = data.WriteShard(d.games(r), 1, []*data.Record{record}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []*counts{before, newCounts(d)} {
		tallies, err := c.of(r)
		if err != nil || len(tallies) != 1 || tallies[0].Games != 1 || tallies[0].Shard != filepath.Base(info.Path) {
			t.Errorf("counted %+v, %v", tallies, err)
		}
	}
}
