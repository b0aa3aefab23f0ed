package durable

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestFresh(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a[")
	for _, name := range []string{"", TempPrefix + "1", "lock", "config.yaml", "games"} {
		if name != "" {
			if err := os.MkdirAll(filepath.Join(dir, name), 0o777); err != nil {
				t.Fatal(err)
			}
		}
		if err := Fresh(dir, "games", "*.yaml"); err != nil {
			t.Errorf("with %q: %v", name, err)
		}
	}
	for _, path := range []string{dir, filepath.Dir(dir) + "/none/../a["} {
		if err := Fresh(path, "*.yaml"); err == nil || !strings.Contains(err.Error(), `"games"`) || !strings.Contains(err.Error(), dir) {
			t.Errorf("%s with a foreign entry: %v", path, err)
		}
	}
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := Fresh(file); err == nil {
		t.Error("a file is fresh")
	}
}
