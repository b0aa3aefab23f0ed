package house

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	goCommand = regexp.MustCompile(`\bgo (?:test|run|build|generate|vet) [^` + "`" + `\n]*`)
	ourPath   = regexp.MustCompile(`(?:^|\s)\./([a-z][a-z0-9/_-]*)`)
)

// TestGoCommands checks that every package that a go command of a document or a script names is there.
func TestGoCommands(t *testing.T) {
	const root = "../.."
	seen := 0
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && (entry.Name() == "node_modules" || strings.HasPrefix(entry.Name(), ".") && path != root) {
			return filepath.SkipDir
		}
		if ext := filepath.Ext(path); ext != ".md" && ext != ".sh" {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, command := range goCommand.FindAllString(string(text), -1) {
			for _, m := range ourPath.FindAllStringSubmatch(command, -1) {
				seen++
				if _, err := os.Stat(filepath.Join(root, m[1])); err != nil {
					t.Errorf("%s: %s: there is no %s", path, command, m[1])
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if seen < 30 {
		t.Errorf("found only %d packages", seen)
	}
}
