package durable

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

func content(s string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, s)
		return err
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestWriteFileReplaces(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	for _, want := range []string{"first", strings.Repeat("second", 100_000), ""} {
		if err := WriteFile(path, content(want)); err != nil {
			t.Fatal(err)
		}
		if got := read(t, path); got != want {
			t.Fatalf("content has %d bytes, want %d", len(got), len(want))
		}
	}
	if got := names(t, dir); len(got) != 1 {
		t.Errorf("directory holds %v, want only a", got)
	}
}

// TestWriteFileFollowsNoLink: a link is replaced, and what it points to stays.
func TestWriteFileFollowsNoLink(t *testing.T) {
	target, link := filepath.Join(t.TempDir(), "target"), filepath.Join(t.TempDir(), "link")
	if err := os.WriteFile(target, []byte("old"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, link); err != nil {
		t.Skip("no links here: ", err)
	}
	if err := WriteFile(link, content("new")); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(link); err != nil || !info.Mode().IsRegular() || read(t, link) != "new" || read(t, target) != "old" {
		t.Errorf("the link is %v with %q, and its target %q", info, read(t, link), read(t, target))
	}
}

// TestWriteFileOldContentUntilWhole checks that readers see the old content while the new one is
// being written, and that the new file has a temporary name.
func TestWriteFileOldContentUntilWhole(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	if err := WriteFile(path, content("old")); err != nil {
		t.Fatal(err)
	}
	err := WriteFile(path, func(w io.Writer) error {
		if got := read(t, path); got != "old" {
			t.Errorf("content during the write is %q", got)
		}
		for _, n := range names(t, dir) {
			if n != "a" && !IsTemp(n) {
				t.Errorf("unexpected file %q", n)
			}
		}
		return content("new")(w)
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := read(t, path); got != "new" {
		t.Errorf("content is %q, want new", got)
	}
}

func TestWriteFileFailureLeavesNothing(t *testing.T) {
	failure := errors.New("out of ink")
	fail := func(w io.Writer) error {
		io.WriteString(w, strings.Repeat("half", 100_000))
		return failure
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	if err := WriteFile(path, fail); !errors.Is(err, failure) || !strings.Contains(err.Error(), path) {
		t.Errorf("error is %v, want one that wraps the cause and names the file", err)
	}
	if got := names(t, dir); len(got) != 0 {
		t.Errorf("left behind %v", got)
	}
	if err := WriteFile(path, content("old")); err != nil {
		t.Fatal(err)
	}
	func() {
		defer func() { recover() }()
		WriteFile(path, func(w io.Writer) error { panic("bug in a writer") })
	}()
	if err := WriteFile(path, fail); err == nil {
		t.Error("no error")
	}
	if got := names(t, dir); len(got) != 1 || read(t, path) != "old" {
		t.Errorf("left %v with %q, want only the old content", got, read(t, path))
	}
}

// TestWriteFileErrorNamesTheFile checks that an error has the name that was asked for, and not
// that of the temporary file.
func TestWriteFileErrorNamesTheFile(t *testing.T) {
	dir := t.TempDir()
	full := filepath.Join(dir, "full")
	if err := os.MkdirAll(filepath.Join(full, "x"), 0o777); err != nil {
		t.Fatal(err)
	}
	for path, op := range map[string]string{filepath.Join(dir, "missing", "a"): "open", full: "rename"} {
		err := WriteFile(path, content("new"))
		cause := (*fs.PathError)(nil)
		if !errors.As(err, &cause) || cause.Path != path || err.Error() != "writing "+path+": "+cause.Err.Error() || strings.Contains(err.Error(), TempPrefix) {
			t.Errorf("the error of %s is %v", op, err)
		}
	}
	// The caller's function sees errors of its writes, and may return errors of other files.
	f, err := createTemp(dir)
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	if _, err := (nameless{f}).Write([]byte("x")); err != fs.ErrClosed {
		t.Errorf("the error of a write is %v", err)
	}
	other := &fs.PathError{Op: "open", Path: "other", Err: fs.ErrNotExist}
	if err := WriteFile(filepath.Join(dir, "a"), func(io.Writer) error { return other }); !errors.Is(err, other) {
		t.Errorf("the error is %v, want one that wraps %v", err, other)
	}
}

// What Writable refuses, WriteFile refuses with the same words; Writable leaves nothing.
func TestWritable(t *testing.T) {
	for name, ok := range map[string]bool{"file": true, ".": false, filepath.Join("none", "file"): false} {
		dir := t.TempDir()
		path := filepath.Join(dir, name)
		err := Writable(path)
		if ok != (err == nil) || len(names(t, dir)) > 0 {
			t.Errorf("%s: %v, and there is %v", name, err, names(t, dir))
		}
		if again := WriteFile(path, content("new")); (again == nil) != (err == nil) || err != nil && again.Error() != err.Error() {
			t.Errorf("%s: %v, and then %v", name, err, again)
		}
	}
}

func TestSweep(t *testing.T) {
	dir := t.TempDir()
	// Leave the file of a writer that was killed.
	f, err := createTemp(dir)
	if err != nil {
		t.Fatal(err)
	}
	f.WriteString("half of it")
	f.Close()
	if err := os.Mkdir(filepath.Join(dir, TempPrefix+"dir"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := WriteFile(filepath.Join(dir, "whole"), content("x")); err != nil {
		t.Fatal(err)
	}
	if err := Sweep(dir); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(names(t, dir), " "); got != TempPrefix+"dir whole" {
		t.Errorf("after sweeping: %s", got)
	}
	if err := Sweep(filepath.Join(dir, "missing")); err != nil {
		t.Errorf("missing directory: %v", err)
	}
}
