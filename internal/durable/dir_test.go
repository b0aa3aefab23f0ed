package durable

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// fill writes a file into a directory.
func fill(dir string) error {
	return os.WriteFile(filepath.Join(dir, "file"), []byte("content"), 0o666)
}

func TestWriteDir(t *testing.T) {
	parent, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{filepath.Join(parent, "new"), filepath.Join(parent, "empty") + "/"} {
		if strings.HasSuffix(path, "/") {
			if err := os.Mkdir(path, 0o777); err != nil {
				t.Fatal(err)
			}
		}
		err := WriteDir(path, func(dir string) error {
			if filepath.Dir(dir) != parent || !IsTemp(dir) {
				t.Errorf("it writes to %s", dir)
			}
			if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%s is there before it is complete, and so may be one that cannot be replaced: %v", path, err)
			}
			return fill(dir)
		})
		if err != nil {
			t.Fatal(err)
		}
		if got := names(t, path); len(got) != 1 || read(t, filepath.Join(path, "file")) != "content" {
			t.Errorf("%s holds %v", path, got)
		}
	}
	if got := strings.Join(names(t, parent), " "); got != "empty new" {
		t.Errorf("next to it: %s", got)
	}
}

func TestWriteDirFailureLeavesNothing(t *testing.T) {
	parent := t.TempDir()
	path := filepath.Join(parent, "new")
	failure := errors.New("out of ink")
	err := WriteDir(path, func(dir string) error {
		if err := fill(dir); err != nil {
			t.Fatal(err)
		}
		return failure
	})
	if !errors.Is(err, failure) {
		t.Errorf("error %v", err)
	}
	func() {
		defer func() { recover() }()
		WriteDir(path, func(dir string) error { panic("bug in a writer") })
	}()
	if got := names(t, parent); len(got) != 0 {
		t.Errorf("it left %v", got)
	}
}

// An empty directory comes back if its files cannot be written.
func TestWriteDirFailureLeavesAnEmptyDirectory(t *testing.T) {
	parent := t.TempDir()
	path := filepath.Join(parent, "empty")
	if err := os.Mkdir(path, 0o777); err != nil {
		t.Fatal(err)
	}
	failure := errors.New("out of ink")
	if err := WriteDir(path, func(string) error { return failure }); !errors.Is(err, failure) {
		t.Errorf("error %v", err)
	}
	if got := strings.Join(append(names(t, parent), names(t, path)...), " "); got != "empty" {
		t.Errorf("afterwards: %s", got)
	}
}

// What a killed process left is removed, and what another writes is left alone.
func TestWriteDirAfterAKill(t *testing.T) {
	parent := t.TempDir()
	path := filepath.Join(parent, "new")
	left := filepath.Join(parent, TempPrefix+"new")
	if err := os.MkdirAll(filepath.Join(left, "half"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := fill(filepath.Join(left, "half")); err != nil {
		t.Fatal(err)
	}
	err := WriteDir(path, func(dir string) error {
		if err := WriteDir(path, fill); err == nil || !strings.Contains(err.Error(), "another process") {
			t.Errorf("two write at once: %v", err)
		}
		return fill(dir)
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(append(names(t, parent), names(t, path)...), " "); got != "new file" {
		t.Errorf("afterwards: %s", got)
	}
}

func TestWriteDirOverwritesNothing(t *testing.T) {
	parent := t.TempDir()
	full := filepath.Join(parent, "full")
	if err := errors.Join(os.Mkdir(full, 0o777), fill(full)); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"full": `"file"`, "full/file": "not an empty directory", "none/new": "there is no directory"} {
		err := WriteDir(filepath.Join(parent, name), func(string) error { t.Errorf("%s is written", name); return nil })
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
	if got := strings.Join(append(names(t, parent), names(t, full)...), " "); got != "full file" {
		t.Errorf("afterwards: %s", got)
	}
}

// TestWriteDirByALink: a link to an empty directory stays one, and the present directory is not replaced.
func TestWriteDirByALink(t *testing.T) {
	real := filepath.Join(t.TempDir(), "real")
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Mkdir(real, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(real, link); err != nil {
		t.Skip("no links here: ", err)
	}
	if err := WriteDir(link, fill); err != nil {
		t.Error(err)
	}
	file := filepath.Join(real, "file")
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 || read(t, file) != "content" {
		t.Errorf("the link is %v, %v", info, err)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{real, link} {
		t.Chdir(dir)
		if err := WriteDir(".", fill); err == nil || !strings.Contains(err.Error(), "the present directory") {
			t.Errorf("the present directory, %s: %v", dir, err)
		}
	}
}
