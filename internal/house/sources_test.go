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

// eachFile calls f with every file of the repository that has one of the extensions.
func eachFile(t *testing.T, extensions []string, f func(path, text string)) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == "node_modules" || strings.HasPrefix(entry.Name(), ".") && path != root):
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
