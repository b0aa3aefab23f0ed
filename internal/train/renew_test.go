package train

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"warren/data"
	"warren/data/datatest"
	"warren/internal/recipe"
)

// TestRenewReadsNoOtherGames: the replay window changes without a scan of all games of the run, which would hold self-play
// up. If a shard of the window is damaged or gone, the window loses only its games.
func TestRenewReadsNoOtherGames(t *testing.T) {
	t.Parallel()
	c := tiny(recipe.Async)
	c.Data.WindowPositions, c.Data.HeldOutFraction = 1_000_000, 0
	path := filepath.Join(t.TempDir(), "run")
	dir, err := OpenDir(path)
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	games := datatest.Records(0, 16, 40)
	var shards []data.ShardInfo
	for i := range 4 {
		shard, err := data.WriteShard(dir.games(), uint64(i+1), games[3*i:][:3])
		if err != nil {
			t.Fatal(err)
		}
		shards = append(shards, shard)
	}
	s, err := restoreGames(t.Context(), dir, &c, newProgress([]recipe.Stage{{Config: c}}), false, nil, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range games[12:] { // a shard and a game that waits for the next
		if err := s.Put(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.writer.Flush(); err != nil {
		t.Fatal(err)
	}
	unknown := filepath.Join(dir.games(), "games-00000099-0123456789abcdef.parquet") // a scan sets it aside
	if err := os.WriteFile(unknown, []byte("damaged"), 0o666); err != nil {
		t.Fatal(err)
	}
	check := func(what string, scanned bool, gone ...int) {
		t.Helper()
		want := 0
		for i, r := range games {
			want += r.Positions()
			if slices.Contains(gone, i) {
				want -= r.Positions()
			}
		}
		if got := s.windows.Train.Positions(); got != want {
			t.Errorf("%s: the window has %d positions, want %d", what, got, want)
		}
		if _, err := os.Stat(unknown); errors.Is(err, os.ErrNotExist) != scanned {
			t.Errorf("%s: all games were scanned: %t", what, !scanned)
		}
	}
	widen := func() error {
		c.Data.WindowPositions++
		return s.configure(&c)
	}
	check("at first", false)
	if err := errors.Join(s.Discard([]data.Range{{First: 13, Count: 1}}), s.discard()); err != nil {
		t.Fatal(err)
	}
	check("discard", false, 13)
	if err := widen(); err != nil {
		t.Fatal(err)
	}
	check("configure", false, 13)

	content, err := os.ReadFile(shards[1].Path)
	if err != nil {
		t.Fatal(err)
	}
	content[len(content)/2] ^= 1
	if err := os.WriteFile(shards[1].Path, content, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := widen(); err != nil {
		t.Fatal(err)
	}
	check("damage", true, 13, 3, 4, 5)
	if _, err := os.Stat(shards[1].Path + ".damaged"); err != nil {
		t.Error(err)
	}
	if err := errors.Join(os.Remove(shards[0].Path), os.WriteFile(unknown, []byte("damaged"), 0o666)); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(s.Discard([]data.Range{{First: 6, Count: 1}}), s.discard()); err != nil {
		t.Fatal(err)
	}
	check("a shard is gone", true, 13, 0, 1, 2, 3, 4, 5, 6)
}
