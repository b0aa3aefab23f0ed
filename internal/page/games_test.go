//go:build !js

package page

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Numbers of nine digits come after those of eight, though not by name.
func TestOrderAfterGame99999999(t *testing.T) {
	s := storedGames{folder: t.TempDir()}
	for _, name := range []string{"games-00000007-0123456789abcdef.parquet", "games-99999999-0123456789abcdef.parquet", "games-100000000-0123456789abcdef.parquet"} {
		if err := os.WriteFile(filepath.Join(s.folder, name), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	list, err := s.shards()
	if err != nil || len(list) != 3 || list[0].first != 100000000 || list[1].first != 99999999 || list[2].first != 7 {
		t.Errorf("the shards are %v, %v", list, err)
	}
}

// The search for a game ends when its time is over, or the visitor has left.
func TestSearchForAGameEnds(t *testing.T) {
	s := serverOf(t, Config{Runs: []string{fixture(t)}})
	games := &s.runs[0].games
	usual := s.patience
	s.patience = 0
	if code, text := s.problemOf(t, "GET", "/api/runs/0/games/77", nil); code != http.StatusNotFound || !strings.Contains(text, "game 77 was not found within some seconds, in 0 files") {
		t.Errorf("when its time is over: %d %s", code, text)
	}
	s.patience = usual
	gone, leave := context.WithCancel(t.Context())
	leave()
	s.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(gone, "GET", "http://localhost/api/runs/0/games/77", nil))
	if len(games.headers) != 0 {
		t.Errorf("%d shards were read for nobody", len(games.headers))
	}
}

// A repeated search continues where the last one ended: it reads no shard again that cannot have the game.
func TestRepeatedSearchForAGameReadsNoShardAgain(t *testing.T) {
	s := serverOf(t, Config{Runs: []string{fixture(t)}})
	games := &s.runs[0].games
	for _, read := range []int{2, 0} {
		if code, text := s.problemOf(t, "GET", "/api/runs/0/games/77", nil); code != http.StatusNotFound || text != "game 77 is not stored here" {
			t.Errorf("%d %s", code, text)
		}
		if len(games.headers) != read {
			t.Errorf("%d shards were read, want %d", len(games.headers), read)
		}
		clear(games.headers) // as if there were many newer ones
		games.order, games.held = nil, 0
	}
	if code := s.ask(t, "GET", "/api/runs/0/games/19", nil, nil); code != http.StatusOK {
		t.Errorf("the last game of a shard: %d", code)
	}
}
