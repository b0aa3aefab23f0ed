package data

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestWriterSavesFullShards(t *testing.T) {
	dir := t.TempDir()
	var saved []int
	w := NewWriter(dir, 3, time.Hour, func(path string, records []*Record) {
		if got, err := readShard(path); err != nil || len(got) != len(records) {
			t.Errorf("told of %s with %d games: it holds %d, %v", path, len(records), len(got), err)
		}
		saved = append(saved, len(records))
	})
	for _, r := range randomRecords(0, 7, 10) {
		if err := w.Put(r); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 { // the second has nothing to do
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
	}
	if len(saved) != 3 || saved[0] != 3 || saved[1] != 3 || saved[2] != 1 {
		t.Errorf("saved %v games at a time, want 3, 3 and 1", saved)
	}
}

func TestWriterSavesLateGames(t *testing.T) {
	saved := make(chan int, 1)
	w := NewWriter(t.TempDir(), 100, 1, func(_ string, records []*Record) { saved <- len(records) })
	if err := w.Put(randomRecord(1, 10)); err != nil {
		t.Fatal(err)
	}
	select {
	case n := <-saved:
		if n != 1 {
			t.Errorf("saved %d games, want 1", n)
		}
	case <-t.Context().Done():
		t.Error("the game was never saved")
	}
}

func TestWriterKeepsWhatItCannotSave(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "games")
	saved := 0
	w := NewWriter(dir, 2, time.Hour, func(_ string, records []*Record) { saved += len(records) })
	games := randomRecords(0, 3, 10)
	if err := w.Put(games[0]); err != nil {
		t.Fatal(err)
	}
	if err := w.Put(games[1]); err == nil {
		t.Error("no error, and no directory")
	}
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := w.Put(games[2]); err != nil {
		t.Fatal(err)
	}
	if saved != 3 {
		t.Errorf("saved %d games, want 3", saved)
	}
}
