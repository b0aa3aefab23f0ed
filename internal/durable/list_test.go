package durable

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// The name of the directory is no pattern, whatever is in it.
func TestListTakesTheDirectoryAsItIs(t *testing.T) {
	for _, name := range []string{"run", "run [1]", "run[", "[a-z]un"} {
		dir := filepath.Join(t.TempDir(), name)
		if paths, err := List(dir, "gen-*.json"); len(paths) != 0 || err != nil {
			t.Errorf("%s: a missing directory has %v, %v", name, paths, err)
		}
		if err := os.Mkdir(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		for _, file := range []string{"gen-2.json", "gen-1.json", "gen-1.json.damaged", "ladder-1.json", TempPrefix + "1"} {
			if err := os.WriteFile(filepath.Join(dir, file), nil, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		paths, err := List(dir, "gen-*.json")
		if want := []string{filepath.Join(dir, "gen-1.json"), filepath.Join(dir, "gen-2.json")}; err != nil || !slices.Equal(paths, want) {
			t.Errorf("%s: got %v, %v, want %v", name, paths, err, want)
		}
		if _, err := List(dir, "["); err == nil {
			t.Errorf("%s: a pattern that is none was accepted", name)
		}
	}
}
