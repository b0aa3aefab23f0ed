package durable

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// List returns the paths of the files in dir whose names match pattern, in the order of their names.
// The pattern is that of [filepath.Match]. Only the names are matched: dir may contain brackets and
// asterisks, which [filepath.Glob] would take for a pattern too. If dir does not exist, List returns
// nothing.
func List(dir, pattern string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err // contains the path
	}
	var paths []string
	for _, e := range entries {
		matches, err := filepath.Match(pattern, e.Name())
		if err != nil {
			return nil, fmt.Errorf("listing %s: %q: %w", dir, pattern, err)
		}
		if matches {
			paths = append(paths, filepath.Join(dir, e.Name()))
		}
	}
	return paths, nil
}
