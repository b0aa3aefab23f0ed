package house

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var goBlock = regexp.MustCompile("(?s)```go\n(.*?)```")

// TestGoInDocumentsCompiles: the Go code that a document shows is part of an example test, so it compiles and its
// output is checked.
func TestGoInDocumentsCompiles(t *testing.T) {
	squeeze := func(text []byte) string { return strings.Join(strings.Fields(string(text)), " ") }
	var examples strings.Builder
	for _, pattern := range []string{"../../*/example_test.go", "../../*/*/example_test.go"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			examples.WriteString(squeeze(text) + "\n")
		}
	}
	documents, err := filepath.Glob("../../docs/*/*.md")
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, file := range documents {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range goBlock.FindAllSubmatch(text, -1) {
			seen++
			if !strings.Contains(examples.String(), squeeze(m[1])) {
				t.Errorf("%s: no example test has this code:\n%s", file, m[1])
			}
		}
	}
	if seen < 5 {
		t.Errorf("found only %d pieces of Go", seen)
	}
}
