package house

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

var (
	goCommand = regexp.MustCompile(`\bgo (?:test|run|build|generate|vet) [^` + "`" + `\n]*`)
	ourPath   = regexp.MustCompile(`(?:^|\s)\./([a-z][a-z0-9/_-]*)`)
)

// TestGoCommands checks that every package that a go command of a document, a script or a comment names is there.
func TestGoCommands(t *testing.T) {
	seen := 0
	eachFile(t, []string{".md", ".sh", ".go"}, func(path, text string) {
		for _, command := range goCommand.FindAllString(text, -1) {
			for _, m := range ourPath.FindAllStringSubmatch(command, -1) {
				seen++
				if _, err := os.Stat(filepath.Join(root, m[1])); err != nil {
					t.Errorf("%s: %s: there is no %s", path, command, m[1])
				}
			}
		}
	})
	if seen < 80 {
		t.Errorf("found only %d packages", seen)
	}
}
