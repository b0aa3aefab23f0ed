package house

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

var (
	goCommand = regexp.MustCompile(`\bgo (?:test|run|build|generate|vet) [^` + "`" + `\n]*`)
	// anotherCommit is a block of commands in the form of their own commit, which had other packages.
	anotherCommit = regexp.MustCompile("[Aa]t commits? [0-9a-f]{7}.*(?:\n.+)*:\n\n```sh\n(?:.+\n)*")
	ourPath       = regexp.MustCompile(`(?:^|\s)\./([a-z][a-z0-9/_-]*)`)
)

// TestGoCommands checks that every package that a go command of a document, a script or a comment names is there.
func TestGoCommands(t *testing.T) {
	seen := 0
	eachFile(t, []string{".md", ".sh", ".go"}, func(path, text string) {
		for _, command := range goCommand.FindAllString(anotherCommit.ReplaceAllString(text, ""), -1) {
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

var bareCommand = regexp.MustCompile(`(?m)^[ $]*warren [a-z].*`)

// TestCommandsToPaste checks that the commands in the blocks of tutorials and how-tos run in a clone, where nothing has
// been built.
func TestCommandsToPaste(t *testing.T) {
	seen := 0
	for _, folder := range []string{"tutorials", "how-to"} {
		pages, err := filepath.Glob(filepath.Join(root, "docs", folder, "*.md"))
		if err != nil {
			t.Fatal(err)
		}
		for _, page := range pages {
			text, err := os.ReadFile(page)
			if err != nil {
				t.Fatal(err)
			}
			seen += len(goCommand.FindAll(text, -1))
			for _, command := range bareCommand.FindAll(text, -1) {
				t.Errorf("%s: %s: write go run ./cmd/warren", page, command)
			}
		}
	}
	if seen < 40 {
		t.Errorf("found only %d commands", seen)
	}
}
