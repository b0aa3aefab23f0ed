package train

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"warren/internal/durable"
	"warren/internal/observe"
	"warren/internal/recipe"
)

// A run keeps its name wherever its directory goes. A run of an earlier version has the name that its games
// bear, or without games that of its networks. A damaged name is found again.
func TestRunKeepsItsName(t *testing.T) {
	base := t.TempDir()
	first := filepath.Join(base, "first")
	work(t, first, tiny(recipe.Async), -1)
	path := first
	name := func() string {
		t.Helper()
		d, err := OpenDir(path)
		if err != nil {
			t.Fatal(err)
		}
		r, err := Open(t.Context(), d, tiny(recipe.Async), observe.Nobody, nil, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		if said, err := d.readName(); err != nil || said != r.dir.name {
			t.Errorf("the directory says %q, %v", said, err)
		}
		return r.selfPlay.job(0, 0).Run
	}
	check := func(what string) {
		t.Helper()
		if got := name(); got != "first" {
			t.Errorf("%s: the run is called %q", what, got)
		}
	}
	must := func(errs ...error) {
		t.Helper()
		if err := errors.Join(errs...); err != nil {
			t.Fatal(err)
		}
	}
	check("where it began")
	must(os.Rename(first, filepath.Join(base, "second")))
	path = filepath.Join(base, "second")
	check("renamed")
	if err := os.Symlink(path, filepath.Join(base, "link")); err == nil {
		path = filepath.Join(base, "link")
		check("by a link")
		path = filepath.Join(base, "second")
	}
	must(os.CopyFS(filepath.Join(base, "third"), os.DirFS(path)))
	path = filepath.Join(base, "third")
	check("copied")
	for _, damaged := range []string{"", "\n", "fi\x00rst\n", "\xff\n"} {
		must(os.WriteFile(filepath.Join(path, nameFile), []byte(damaged), 0o666))
		check("damaged")
	}
	must(os.Remove(filepath.Join(path, nameFile)))
	check("of an earlier version")
	must(os.Remove(filepath.Join(path, nameFile)), os.RemoveAll(filepath.Join(path, "games")))
	check("of an earlier version, without games")
	if recorded, err := FindRecorded([]string{filepath.Join(base, "second")}, false, tiny(recipe.Async).Data, slog.New(slog.DiscardHandler)); err != nil || recorded.runs != "first" {
		t.Errorf("its recorded games are said to be of %+v, %v", recorded, err)
	}
}

// A name that is not a file is refused, and not waited for.
func TestNameIsAFile(t *testing.T) {
	path := t.TempDir()
	if err := os.Symlink(os.DevNull, filepath.Join(path, nameFile)); err != nil {
		t.Skip(err)
	}
	if _, err := (&Dir{path: path}).readName(); !errors.Is(err, durable.ErrSpecial) {
		t.Errorf("the name is %v, want one line that says it is no file", err)
	}
}
