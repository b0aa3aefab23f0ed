package hub

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
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
	must(os.WriteFile(path("copy", "hub", placeFile), []byte("{"), 0o600))
	other("a damaged place", "copy")
	must(os.RemoveAll(path("copy", "hub")))
	same("a copy with keys of its own", "copy")
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
