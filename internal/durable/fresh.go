package durable

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Fresh returns an error if dir holds anything that does not have one of the names, each a pattern of
// [filepath.Match]: something new should not begin among other things. Temporary files of [WriteFile]
// and the lock of [LockDir] do not count. Dir may be missing.
func Fresh(dir string, names ...string) error {
	dir = filepath.Clean(dir) // as the files get it: filepath.Join(dir, name) finds a directory by none/../dir, too
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err // contains the path
	}
	for _, e := range entries {
		known := IsTemp(e.Name()) || e.Name() == lockFileName
		for _, name := range names {
			matches, err := filepath.Match(name, e.Name())
			if err != nil {
				return fmt.Errorf("%q: %w", name, err)
			}
			known = known || matches
		}
		if !known {
			return fmt.Errorf("%s holds other things, such as %q: choose another directory", dir, e.Name())
		}
	}
	return nil
}
