package hub

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A hub that is renamed, moved with its run or reached by a link is the same. A copy is told apart at its
// first start, and so is one that was moved to another disk, which nobody can tell from a copy, until the
// user says that it is the original.
func TestCopyIsToldApart(t *testing.T) {
	base := t.TempDir()
	if _, err := placeOf(base); errors.Is(err, errors.ErrUnsupported) {
		t.Skip("this system does not say where a directory is")
	}
	settle := func(run string, original bool) error {
		t.Helper()
		k, err := OpenKeys(filepath.Join(base, run, "hub"))
		if err != nil {
			t.Fatal(err)
		}
		return k.Settle(original)
	}
	same := func(what, run string) {
		t.Helper()
		if err := settle(run, false); err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	other := func(what, run string) {
		t.Helper()
		if err := settle(run, false); err == nil || !strings.Contains(err.Error(), "--original") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want one line that says what to do", what, err)
		}
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	path := func(names ...string) string { return filepath.Join(append([]string{base}, names...)...) }
	same("a new hub", "a")
	same("again", "a")
	must(os.Remove(path("a", "hub", placeFile)))
	same("of an earlier version", "a")
	must(os.Rename(path("a"), path("b")))
	same("renamed", "b")
	must(os.MkdirAll(path("deep", "down"), 0o777))
	must(os.Rename(path("b"), path("deep", "down", "c")))
	same("moved", "deep/down/c")
	if err := os.Symlink(path("deep", "down", "c"), path("link")); err == nil {
		same("by a link", "link")
	}
	must(os.CopyFS(path("copy"), os.DirFS(path("deep", "down", "c"))))
	other("a copy", "copy")
	other("a copy, again", "copy")
	same("the original of the copy", "deep/down/c")
	if err := settle("copy", true); err != nil {
		t.Errorf("a copy that is said to be the original: %v", err)
	}
	same("afterwards", "copy")
	for run, want := range map[string]bool{"copy": true, "deep/down/c": false} {
		known, damaged, err := openKnown(path(run, "hub"), time.Hour)
		if err != nil || damaged > 0 || known.incomplete != want {
			t.Errorf("%s: it may lack what came last: %v, want %v; %d damaged lines, %v", run, known.incomplete, want, damaged, err)
		}
		known.close()
	}
	must(os.WriteFile(path("copy", "hub", placeFile), []byte("{"), 0o600))
	other("a damaged place", "copy")
	must(os.RemoveAll(path("copy", "hub")))
	same("a copy with keys of its own", "copy")
}

// What a hub has published is not all known if a line is damaged, or if a backup took its place not long ago.
func TestPublishedMayBeIncomplete(t *testing.T) {
	for name, c := range map[string]struct {
		text  string
		want  bool
		lines int
	}{
		"whole":           {`{"network":{"hash":"a","generation":1}}`, false, 0},
		"damaged":         {`{"network":{"hash":"a","generati`, true, 1},
		"restored":        {`{"restored":"` + time.Now().UTC().Format(time.RFC3339) + `"}`, true, 0},
		"restored before": {`{"restored":"` + time.Now().Add(-2*time.Hour).UTC().Format(time.RFC3339) + `"}`, false, 0},
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, publishedFile), []byte(c.text+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		k, damaged, err := openKnown(dir, time.Hour)
		if err != nil || k.incomplete != c.want || damaged != c.lines {
			t.Errorf("%s: incomplete: %v, %d damaged lines, %v", name, k.incomplete, damaged, err)
		}
		k.close()
	}
}

// A directory that takes the number of one that is gone is another.
func TestPlacesOfOneNumber(t *testing.T) {
	for _, c := range []struct {
		a, b place
		same bool
	}{
		{place{1, 5}, place{1, 5}, true},
		{place{1, 5}, place{1, 6}, false},
		{place{1, 5}, place{2, 5}, false},
		{place{1, 0}, place{1, 5}, true},
		{place{1, 0}, place{2, 0}, false},
	} {
		if c.a.same(c.b) != c.same || c.b.same(c.a) != c.same {
			t.Errorf("%+v and %+v: want %v", c.a, c.b, c.same)
		}
	}
}
