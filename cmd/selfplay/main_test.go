package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"warren/data"
	"warren/net"
)

func network(t *testing.T) string {
	t.Helper()
	n, err := net.New(net.Config{Blocks: 1, Channels: 8, PoolEvery: 1, PolicyChannels: 4, ValueChannels: 2, ValueHidden: 8}, 1)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "net.safetensors")
	if err := net.Save(path, n, map[string]string{"generation": "4"}); err != nil {
		t.Fatal(err)
	}
	return path
}

func play(t *testing.T, f flags, set ...string) map[uint64][]byte {
	t.Helper()
	f.Config = "smoke"
	f.Set = append(set, "selfplay.turn_limit=10", "data.games_per_shard=3")
	if err := f.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	index, err := data.Scan(f.Out, nil)
	if err != nil {
		t.Fatal(err)
	}
	records := map[uint64][]byte{}
	for _, info := range index.Shards {
		shard, err := data.OpenShard(info.Path)
		if err != nil {
			t.Fatal(err)
		}
		for r, err := range shard.Records() {
			if err != nil {
				t.Fatal(err)
			}
			if r.Generation != 4 {
				t.Errorf("game %d is of generation %d", r.Game, r.Generation)
			}
			if records[r.Game], err = r.AppendBinary(nil); err != nil {
				t.Fatal(err)
			}
		}
	}
	return records
}

// The same seed and network give the same records, byte for byte: with one
// worker, with two, and when the games are played by two calls.
func TestRecordsAreTheSame(t *testing.T) {
	f := flags{Network: network(t), Games: 8, Seed: 3, Out: t.TempDir()}
	want := play(t, f, "selfplay.workers=1")
	if len(want) != 8 {
		t.Fatalf("%d games, want 8", len(want))
	}
	f.Out = t.TempDir()
	two := play(t, f, "selfplay.workers=2", "selfplay.games_per_worker=3")
	f.Out, f.Games = t.TempDir(), 5
	play(t, f, "selfplay.workers=2")
	f.Games = 8
	later := play(t, f, "selfplay.workers=1")
	for number := range want {
		if !bytes.Equal(want[number], two[number]) {
			t.Errorf("game %d differs with two workers", number)
		}
		if !bytes.Equal(want[number], later[number]) {
			t.Errorf("game %d differs in two goes", number)
		}
	}
}

func TestBadInput(t *testing.T) {
	text := filepath.Join(t.TempDir(), "text")
	if err := os.WriteFile(text, []byte("this is no network"), 0o666); err != nil {
		t.Fatal(err)
	}
	for want, f := range map[string]flags{
		"no such file":    {Network: filepath.Join(t.TempDir(), "none.safetensors"), Out: t.TempDir(), Config: "smoke"},
		text:              {Network: text, Out: t.TempDir(), Config: "smoke"},
		"selfplay.visits": {Network: text, Out: t.TempDir(), Config: "smoke", Set: []string{"selfplay.visits=0"}},
		"--spool":         {Network: network(t), Out: t.TempDir(), Config: "smoke", Games: 1, Spool: t.TempDir()},
		"directory":       {Network: network(t), Out: filepath.Join(text, "x"), Config: "smoke"},
	} {
		if err := f.run(t.Context()); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("got %v, want one line with %q", err, want)
		}
	}
}
