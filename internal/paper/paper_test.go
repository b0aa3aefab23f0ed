package paper

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"
)

var update = flag.Bool("update", false, "write the generated files")

const root = "../.."

// TestGenerated: the generated files are what their sources say.
func TestGenerated(t *testing.T) {
	files, err := Generate(root)
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range files {
		path := filepath.Join(root, name)
		if *update {
			if err := os.WriteFile(path, content, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		if have, err := os.ReadFile(path); err != nil || !bytes.Equal(have, content) {
			t.Errorf("%s is out of date (%v): go generate ./internal/paper", name, err)
		}
	}
	there, err := filepath.Glob(filepath.Join(root, generated, "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range there {
		if name := generated + filepath.Base(path); files[name] == nil {
			t.Errorf("nothing writes %s any more: remove it", name)
		}
	}
}
