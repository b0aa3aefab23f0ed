package durable

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestReadFile(t *testing.T) {
	dir := t.TempDir()
	path, link := filepath.Join(dir, "a"), filepath.Join(dir, "link")
	if err := os.WriteFile(path, []byte("12345"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(path, link); err != nil {
		t.Log("no links here:", err)
		link = path
	}
	for _, p := range []string{path, link} {
		if got, err := ReadFile(p, 5); string(got) != "12345" || err != nil {
			t.Errorf("%s: %q, %v", p, got, err)
		}
		if got, err := ReadFile(p, 4); got != nil || !errors.As(err, new(*fs.PathError)) || !strings.Contains(err.Error(), "larger than 4 bytes") {
			t.Errorf("%s: with a limit of 4: %q, %v", p, got, err)
		}
	}
	if _, err := ReadFile(filepath.Join(dir, "missing"), 5); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
}

// A size that a file does not state is limited all the same.
func TestReadFileLimitsWhatHasNoSize(t *testing.T) {
	const endless = "/proc/self/status"
	if info, err := os.Stat(endless); err != nil || info.Size() != 0 {
		t.Skip("this system has no file without a size")
	}
	if _, err := ReadFile(endless, 8); err == nil || !strings.Contains(err.Error(), "larger than 8 bytes") {
		t.Errorf("got %v", err)
	}
}

func TestDirectoryIsNoFile(t *testing.T) {
	dir := t.TempDir()
	check(t, dir, "a directory")
}

// check requires every function that opens a file to refuse path, without waiting.
func check(t *testing.T, path, kind string) {
	t.Helper()
	for name, open := range map[string]func() error{
		"Open":     func() error { _, err := Open(path); return err },
		"ReadFile": func() error { _, err := ReadFile(path, 5); return err },
		"OpenLog":  func() error { _, err := OpenLog(path); return err },
		"Lock":     func() error { _, err := Lock(path); return err },
	} {
		if err := open(); !errors.Is(err, ErrSpecial) || !strings.Contains(err.Error(), kind) || strings.Count(err.Error(), path) != 1 {
			t.Errorf("%s: the error is %v, want one that names %s", name, err, kind)
		}
	}
}
