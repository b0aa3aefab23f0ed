package train

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"warren/internal/arena"
)

func randomAndGreedy(t *testing.T) (players []*arena.Entrant) {
	t.Helper()
	for _, name := range []string{"random", "greedy"} {
		e, err := (&arena.Names{}).Parse(name)
		if err != nil {
			t.Fatal(err)
		}
		players = append(players, e)
	}
	return players
}

// withMatches returns a run with the records of matches of commit 7eb7886 and nothing else.
func withMatches(t *testing.T) *Dir {
	t.Helper()
	dir, err := OpenDir(filepath.Join(t.TempDir(), "run"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { dir.Close() })
	if err := os.CopyFS(dir.matches(), os.DirFS("testdata/matches-1")); err != nil {
		t.Fatal(err)
	}
	return dir
}

// A damaged record is set aside, and what is no file is passed over; the others count.
// One that cannot be opened is an error.
func TestDamagedRecordIsSetAside(t *testing.T) {
	dir := withMatches(t)
	damaged := newest(t, filepath.Join(dir.matches(), "gen-*.json"))
	if err := os.WriteFile(damaged, read(t, damaged)[:20], 0o666); err != nil {
		t.Fatal(err)
	}
	w := &watcher{left: -1}
	for range 2 {
		if records, err := dir.records(slog.New(w)); len(records) != 7 || err != nil {
			t.Errorf("%d records, %v", len(records), err)
		}
	}
	if w.logged("setting aside a damaged record of a match") != 1 || w.logged(filepath.Base(damaged)) != 1 {
		t.Errorf("logged %q", w.lines)
	}
	if _, err := os.Stat(damaged + ".damaged"); err != nil {
		t.Error(err)
	}
	if err := os.Mkdir(damaged, 0o777); err != nil {
		t.Fatal(err)
	}
	if records, err := dir.records(slog.New(w)); len(records) != 7 || err != nil || w.logged("passing over") != 1 {
		t.Errorf("with a directory: %d records, %v, logged %q", len(records), err, w.lines)
	}
	if err := os.Remove(damaged); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Base(damaged), damaged); err != nil {
		t.Skip("no links here:", err)
	}
	if _, err := dir.records(slog.New(w)); err == nil {
		t.Error("a record that cannot be opened was passed over")
	}
}

// The games of every match that begins again are kept.
func TestMatchesSetAsideAreKept(t *testing.T) {
	dir, err := OpenDir(filepath.Join(t.TempDir(), "run"))
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	players := randomAndGreedy(t)
	all := &matches{dir: dir, log: slog.New(slog.DiscardHandler)}
	games := filepath.Join(dir.matches(), "gen-00001", arena.GamesFile)
	if err := os.Mkdir(filepath.Dir(games), 0o777); err != nil {
		t.Fatal(err)
	}
	for n := 1; n <= 3; n++ {
		if err := os.WriteFile(games, fmt.Appendf(nil, "{%d\n", n), 0o666); err != nil {
			t.Fatal(err)
		}
		m, err := all.tournament("gen-00001", arena.TournamentConfig{Rules: arena.Rules{TurnLimit: 10}, Games: 2}, players)
		if err != nil {
			t.Fatal(err)
		}
		if err := m.Close(); err != nil {
			t.Fatal(err)
		}
	}
	for n := 1; n <= 3; n++ {
		if got := string(read(t, fmt.Sprintf("%s.aside-%d", games, n))); got != fmt.Sprintf("{%d\n", n) {
			t.Errorf("number %d that was set aside is %q", n, got)
		}
	}
}
