package durable

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// IsDir reports whether there is a directory at path.
func IsDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// WriteDir makes the directory path with the files that write puts into the directory that it is given. That
// directory is next to path and has a temporary name; when write has returned nil, it is renamed. If any of this
// fails, WriteDir removes it. If the process is killed, it stays, and the next WriteDir of the same path removes
// it. Write must sync its files. Nothing may be at path but an empty directory, which is not there while write
// works; its parent must exist.
func WriteDir(path string, write func(dir string) error) error {
	path, err := resolved(path)
	if err != nil {
		return err
	}
	if here, err := resolved("."); err == nil && here == path {
		return fmt.Errorf("%s is the present directory, which would be replaced: name another", path)
	}
	parent := filepath.Dir(path)
	if !IsDir(parent) {
		return fmt.Errorf("there is no directory %s: make it first", parent)
	}
	if err := vacant(path); err != nil {
		return err
	}
	dir := filepath.Join(parent, TempPrefix+filepath.Base(path))
	lock, err := LockDir(dir, fmt.Sprintf("another process writes %s: wait for it, or stop it", path))
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	defer lock.Close()
	if err := empty(dir); err != nil {
		return fmt.Errorf("removing what a killed process left: %w", err)
	}
	// An empty directory that cannot be removed, such as a mount point, is refused before the work.
	switch err := os.Remove(path); {
	case err == nil:
		defer os.Mkdir(path, 0o777) // fails if the new one is there
	case !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s cannot be replaced, so name a directory that does not exist: %w", path, cause(err))
	}
	if err := write(dir); err != nil {
		return err
	}
	// Windows renames no directory with open files, and removes no open file.
	lock.Close()
	if err := os.Remove(lock.Name()); err != nil {
		return fmt.Errorf("writing %s: %w", path, cause(err))
	}
	if err := os.Rename(dir, path); err != nil {
		return fmt.Errorf("writing %s: %w", path, cause(err))
	}
	return SyncDir(parent)
}

// resolved returns the absolute path without the links in it, as far as it exists.
func resolved(path string) (string, error) {
	whole, err := filepath.Abs(path)
	if err != nil {
		return "", fmt.Errorf("finding %s: %w", path, err)
	}
	if real, err := filepath.EvalSymlinks(whole); err == nil {
		return real, nil
	}
	return whole, nil
}

// empty removes everything in dir but its lock.
func empty(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.Name() == lockFileName {
			continue
		}
		if err := os.RemoveAll(filepath.Join(dir, e.Name())); err != nil {
			return err
		}
	}
	return nil
}

// vacant returns an error if there is anything at path but an empty directory.
func vacant(path string) error {
	entries, err := os.ReadDir(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("%s is not an empty directory: choose another name", path)
	case len(entries) > 0:
		return fmt.Errorf("%s holds other things, such as %q: choose another directory", path, entries[0].Name())
	}
	return nil
}
