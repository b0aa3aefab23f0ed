package data

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestWriterSavesFullShards(t *testing.T) {
	dir := t.TempDir()
	var saved []ShardInfo
	w := NewWriter(dir, WriterConfig{Games: 3, Every: time.Hour, Arrival: 4, Saved: func(s ShardInfo, records []*Record) {
		if got, err := readShard(s.Path); err != nil || len(got) != len(records) || s.Games != len(records) {
			t.Errorf("told of %+v with %d games: it holds %d, %v", s, len(records), len(got), err)
		}
		saved = append(saved, s)
	}})
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
	want := []ShardInfo{
		{Games: 3, First: 0, Last: 2, Arrival: 5},
		{Games: 3, First: 3, Last: 5, Arrival: 6},
		{Games: 1, First: 6, Last: 6, Arrival: 7},
	}
	for i := range saved {
		saved[i].Path, saved[i].Positions = "", 0
	}
	if !slices.Equal(saved, want) {
		t.Errorf("saved %+v, want %+v", saved, want)
	}
}

func TestWriterByNumber(t *testing.T) {
	dir := t.TempDir()
	w := NewWriter(dir, WriterConfig{Games: 1, Every: time.Hour, Arrival: 4, ByNumber: true})
	for _, r := range randomRecords(0, 3, 10) {
		if err := w.Put(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	x, err := Scan(dir, nil)
	if err != nil || len(x.Shards) != 3 || x.Shards[0].Arrival != 4 || x.Arrival != 4 {
		t.Errorf("index is %+v, %v", x, err)
	}
}

func TestWriterSavesLateGames(t *testing.T) {
	saved := make(chan int, 1)
	w := NewWriter(t.TempDir(), WriterConfig{Games: 100, Every: 1, Saved: func(s ShardInfo, _ []*Record) { saved <- s.Games }})
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

// While a shard is being written, Put returns at once until two shards' worth of games are pending.
// Then it waits, so that a slow disk does not fill the memory.
func TestWriterDoesNotHoldUpPut(t *testing.T) {
	const games = 3
	writing, disk := make(chan bool), make(chan bool)
	w := NewWriter(t.TempDir(), WriterConfig{Games: games, Every: time.Hour, Saved: func(ShardInfo, []*Record) {
		writing <- true
		<-disk
	}})
	records := randomRecords(0, 20, 10)
	for _, r := range records[:games] {
		if err := w.Put(r); err != nil {
			t.Fatal(err)
		}
	}
	<-writing
	for _, r := range records[games : 2*games] { // the first shard is not saved yet
		if err := w.Put(r); err != nil {
			t.Fatal(err)
		}
	}
	var rest sync.WaitGroup
	for _, r := range records[2*games:] {
		rest.Go(func() {
			if err := w.Put(r); err != nil {
				t.Error(err)
			}
		})
	}
	most := 0
	go func() {
		for ok := true; ok; _, ok = <-writing {
			w.mu.Lock()
			most = max(most, len(w.pending))
			w.mu.Unlock()
			disk <- true
		}
	}()
	defer close(writing)
	rest.Wait()
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.saved != len(records) || most > 2*games {
		t.Errorf("saved %d games, at most %d were pending", w.saved, most)
	}
}

// Flush waits for the games that were put before it, while others are put.
func TestWriterFlushWhilePutting(t *testing.T) {
	dir := t.TempDir()
	var mu sync.Mutex
	saved := map[uint64]bool{}
	w := NewWriter(dir, WriterConfig{Games: 4, Every: time.Hour, Saved: func(_ ShardInfo, records []*Record) {
		mu.Lock()
		defer mu.Unlock()
		for _, r := range records {
			saved[r.Game] = true
		}
	}})
	var all sync.WaitGroup
	for i := range uint64(4) {
		all.Go(func() {
			for _, r := range randomRecords(100*i, 10, 5) {
				if err := w.Put(r); err != nil {
					t.Error(err)
				}
				if r.Game%3 != 0 {
					continue
				}
				if err := w.Flush(); err != nil {
					t.Error(err)
				}
				mu.Lock()
				if !saved[r.Game] {
					t.Errorf("game %d is not saved after Flush", r.Game)
				}
				mu.Unlock()
			}
		})
	}
	all.Wait()
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	x, err := Scan(dir, nil)
	if err != nil || x.Games != 40 || len(saved) != 40 || int(x.Arrival) != len(x.Shards) {
		t.Errorf("%d games in %d shards up to number %d, told of %d, %v", x.Games, len(x.Shards), x.Arrival, len(saved), err)
	}
}

func TestWriterNamesTheGamesThatItCannotSave(t *testing.T) {
	w := NewWriter(filepath.Join(t.TempDir(), "none"), WriterConfig{Games: 2, Every: time.Hour})
	if err := w.Put(randomRecords(0, 1, 10)[0]); err != nil {
		t.Fatal(err)
	}
	if err := w.Flush(); err == nil || !strings.HasPrefix(err.Error(), "saving 1 game: ") {
		t.Errorf("%v", err)
	}
}

// An invalid game is refused, and keeps no other from being saved.
func TestWriterRefusesInvalidGames(t *testing.T) {
	saved := 0
	w := NewWriter(t.TempDir(), WriterConfig{Games: 2, Every: time.Hour, Saved: func(_ ShardInfo, records []*Record) { saved += len(records) }})
	games := randomRecords(0, 3, 10)
	games[1].Turns++
	for i, r := range games {
		if err := w.Put(r); (err != nil) != (i == 1) {
			t.Errorf("game %d: %v", i, err)
		}
	}
	if err := w.Flush(); err != nil || saved != 2 {
		t.Errorf("saved %d games, %v", saved, err)
	}
}

// A failed write is reported by the next Put or Flush, loses nothing and is tried again.
func TestWriterKeepsWhatItCannotSave(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "games")
	saved := 0
	w := NewWriter(dir, WriterConfig{Games: 2, Every: time.Hour, Saved: func(_ ShardInfo, records []*Record) { saved += len(records) }})
	games := randomRecords(0, 4, 10)
	for _, r := range games[:2] {
		if err := w.Put(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Flush(); err == nil {
		t.Error("Flush has no error, and there is no directory")
	}
	if err := w.Put(games[2]); err == nil {
		t.Error("Put has no error after a write that failed")
	}
	if err := w.Flush(); err == nil {
		t.Error("the second Flush has no error")
	}
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	if err := w.Put(games[3]); err != nil {
		t.Error(err)
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	x, err := Scan(dir, nil)
	if err != nil || saved != 4 || x.Games != 4 || x.Arrival != 3 {
		t.Errorf("saved %d games, told of %d, up to number %d, %v", x.Games, saved, x.Arrival, err)
	}
}
