package puzzles

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"warren/internal/durable"
	"warren/internal/puzzle/find"
)

// TestReadRefusesWhatIsNoFile: a device or a pipe would be read for ever.
func TestReadRefusesWhatIsNoFile(t *testing.T) {
	f := flags{Games: []string{t.TempDir()}}
	if _, err := f.read(t.Output()); !errors.Is(err, durable.ErrSpecial) {
		t.Errorf("reading a directory gives %v, want an error that is ErrSpecial", err)
	}
}

func TestReadSaysWhyGamesAreLeftOut(t *testing.T) {
	path := filepath.Join(t.TempDir(), "games.txt")
	if err := os.WriteFile(path, []byte("id\tgold\tsilver\tresult\ttermination\tmovelist\n1\ta\tb\tg\tg\t1g Ra1\n2\ta\tb\tg\tg\t1g Xa1\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	f := flags{Games: []string{path}}
	var out strings.Builder
	games, err := f.read(&out)
	if len(games) != 0 || err == nil {
		t.Errorf("%d games and the error %v, want none and an error", len(games), err)
	}
	if want := "left out: 2. The first: line 2: turn 1g: the setup places 1 of 16 pieces"; !strings.Contains(out.String(), want) {
		t.Errorf("the message is %q, want %q in it", out.String(), want)
	}
}

// A move list has no identifier: its line tells it from the others of its file.
func TestReadNamesEveryGame(t *testing.T) {
	const list = "1g Ra1 Rb1 Rc1 Dd1 De1 Rf1 Rg1 Rh1 Ra2 Hb2 Cc2 Ed2 Me2 Cf2 Hg2 Rh2\n"
	path := filepath.Join(t.TempDir(), "games.txt")
	if err := os.WriteFile(path, []byte(list+list), 0o666); err != nil {
		t.Fatal(err)
	}
	f := flags{Games: []string{path}}
	games, err := f.read(t.Output())
	if err != nil || len(games) != 2 || games[0].source != "games line 1" || games[1].source != "games line 2" {
		t.Errorf("the games are %v, %v", games, err)
	}
}

// A search that finds nothing says why, and writes nothing.
func TestNoPuzzleIsFound(t *testing.T) {
	f := flags{Out: filepath.Join(t.TempDir(), "puzzles.tsv")}
	broken := errors.New("it is broken")
	for _, c := range []struct {
		err  error
		want string
	}{
		{nil, "no puzzle was found: give more games"},
		{context.Canceled, "stopped before a puzzle was found; nothing is written"},
		{broken, broken.Error()},
	} {
		if err := f.save(t.Output(), new(find.Set), c.err); err == nil || err.Error() != c.want {
			t.Errorf("after %v: %v, want %q", c.err, err, c.want)
		}
	}
	if _, err := os.Stat(f.Out); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file is written: %v", err)
	}
}

// A file that cannot be written, or has something else, is refused before the search, which may take hours.
func TestOutIsTriedFirst(t *testing.T) {
	games := filepath.Join(t.TempDir(), "games.tsv")
	if err := os.WriteFile(games, []byte("a game\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	empty, none := filepath.Join(t.TempDir(), "empty"), filepath.Join(t.TempDir(), "none", "puzzles.tsv")
	if err := os.WriteFile(empty, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for out, want := range map[string]string{empty: "there are no games", none: "--out: writing " + none, games: "--out: reading the puzzles of " + games + ": line 1: "} {
		f := flags{Games: []string{games}, Out: out, Natural: "random", Each: 1, Device: "cpu"}
		if err := f.run(t.Context(), t.Output()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
