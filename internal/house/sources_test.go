package house

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// root is the repository, as the tests of this package see it.
const root = "../.."

// made are directories of the repository that git ignores: a reader's runs, and programs.
var made = []string{"runs", "bin", "dist"}

// foreign reports whether what a walk of the repository comes to is a directory without sources.
func foreign(path string, entry fs.DirEntry) bool {
	name := entry.Name()
	if !entry.IsDir() || path == root {
		return false
	}
	return name == "node_modules" || strings.HasPrefix(name, ".") || filepath.Dir(path) == filepath.Clean(root) && slices.Contains(made, name)
}

// eachSource calls f with every source in Go that is not a test.
func eachSource(t *testing.T, f func(path, text string)) {
	t.Helper()
	eachFile(t, []string{".go"}, func(path, text string) {
		if !strings.HasSuffix(path, "_test.go") {
			f(path, text)
		}
	})
}

// below returns a path as the root sees it, with slashes.
func below(path string) string {
	return strings.TrimPrefix(filepath.ToSlash(path), root+"/")
}

// eachFile calls f with every file of the repository that has one of the extensions.
func eachFile(t *testing.T, extensions []string, f func(path, text string)) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case foreign(path, entry):
			return filepath.SkipDir
		case !slices.Contains(extensions, filepath.Ext(path)):
			return nil
		}
		text, err := os.ReadFile(path)
		if err == nil {
			f(path, string(text))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
