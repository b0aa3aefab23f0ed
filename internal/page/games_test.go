//go:build !js

package page

import (
	"cmp"
	"context"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"warren/data"
)

// overlappingShards writes 40 shards of 25 games, each drawn from the 300 lowest numbers that are left. It returns
// the numbers in descending order.
func overlappingShards(t *testing.T, dir string) (all []uint64) {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 1))
	var playing []uint64
	next := uint64(0)
	for arrival := range uint64(40) {
		for ; len(playing) < 300; next++ {
			playing = append(playing, next)
		}
		rng.Shuffle(len(playing), func(i, j int) { playing[i], playing[j] = playing[j], playing[i] })
		var records []*data.Record
		for _, n := range playing[:25] {
			records = append(records, randomRecord(n, 3))
		}
		if _, err := data.WriteShard(dir, arrival, records); err != nil {
			t.Fatal(err)
		}
		all, playing = append(all, playing[:25]...), playing[25:]
	}
	slices.SortFunc(all, func(a, b uint64) int { return cmp.Compare(b, a) })
	return all
}

// The numbers of shards overlap. From page to page, the list has every game once and in order, however early each
// page is cut short.
func TestGamesOfOverlappingShards(t *testing.T) {
	s := storedGames{folder: t.TempDir()}
	want := overlappingShards(t, s.folder)
	for _, cut := range []bool{false, true} {
		q := query{generation: -1, before: 1<<64 - 1, limit: 60, patience: time.Hour}
		if cut {
			q.patience = -1
		}
		var got []uint64
		for more := true; more; q.patience += 10 * time.Microsecond { // at some time, it is enough
			list, err := s.list(t.Context(), q)
			if err != nil || len(list.Games) > q.limit {
				t.Fatalf("%d games, want up to %d: %v", len(list.Games), q.limit, err)
			}
			for _, g := range list.Games {
				got = append(got, g.Game)
			}
			more, q.before = list.More, list.Next
		}
		if !slices.Equal(got, want) {
			t.Errorf("if lists are cut short: %v, there are %d games, want %d: %v", cut, len(got), len(want), got)
		}
	}
	for i := 0; i < len(want); i += 37 {
		n := want[i]
		if r, err := s.record(t.Context(), n); err != nil || r.Game != n {
			t.Fatalf("game %d: %v", n, err)
		}
	}
}

// A shard without a readable footer comes last: a list that is cut short continues below the newest game.
func TestDamagedFooter(t *testing.T) {
	s := storedGames{folder: t.TempDir()}
	newest := overlappingShards(t, s.folder)[0]
	damaged := filepath.Join(s.folder, "games-00000000-0123456789abcdef.parquet")
	if err := os.WriteFile(damaged, []byte("cut off"), 0o666); err != nil {
		t.Fatal(err)
	}
	list, err := s.list(t.Context(), query{generation: -1, before: 1<<64 - 1, limit: 60, patience: -1})
	if err != nil || !list.More || list.Next != newest+1 {
		t.Errorf("it continues below %d, want %d: %v", list.Next, newest+1, err)
	}
	if list, err = s.list(t.Context(), query{generation: -1, before: 9, limit: 60, patience: time.Hour}); err != nil || len(list.Games) != 9 {
		t.Errorf("%d games below 9: %v", len(list.Games), err)
	}
}

// The search for a game ends when its time is over, or the visitor has left.
func TestSearchForAGameEnds(t *testing.T) {
	s := serverOf(t, Config{Runs: []string{fixture(t)}})
	games := &s.runs[0].games
	usual := s.patience
	s.patience = 0
	if code, text := s.problemOf(t, "GET", "/api/runs/0/games/17", nil); code != http.StatusNotFound || !strings.Contains(text, "game 17 was not found within some seconds") {
		t.Errorf("when its time is over: %d %s", code, text)
	}
	s.patience = usual
	gone, leave := context.WithCancel(t.Context())
	leave()
	for _, path := range []string{"games/17", "games"} {
		s.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(gone, "GET", "http://localhost/api/runs/0/"+path, nil))
	}
	if len(games.headers)+len(games.spans) != 0 {
		t.Errorf("%d shards and %d footers were read for nobody", len(games.headers), len(games.spans))
	}
}

// The search for a game reads only the shards that may have it.
func TestSearchForAGameReadsFewShards(t *testing.T) {
	s := serverOf(t, Config{Runs: []string{fixture(t)}})
	if code, text := s.problemOf(t, "GET", "/api/runs/0/games/77", nil); code != http.StatusNotFound || text != "game 77 is not stored here" {
		t.Errorf("%d %s", code, text)
	}
	for read, number := range []string{"77", "9", "10"} {
		s.ask(t, "GET", "/api/runs/0/games/"+number, nil, new(any))
		if n := len(s.runs[0].games.headers); n != read {
			t.Errorf("after game %s, %d shards were read, want %d", number, n, read)
		}
	}
}
