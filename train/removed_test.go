package train

import (
	"os"
	"path/filepath"
	"testing"

	"warren/settings"
)

// TestRunOfAnEarlierVersionContinues: settings that were removed since the run began are
// left out, and the log says so once.
func TestRunOfAnEarlierVersionContinues(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "run")
	c := tiny(settings.Sync)
	c.Loop.Generations = 1
	if finished, w := work(t, path, c, -1); !finished {
		t.Fatalf("logged %q", w.lines)
	}
	archived := filepath.Join(path, "config.yaml")
	content, err := os.ReadFile(archived)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(archived, append(content, "unit: step\n"...), 0o666); err != nil {
		t.Fatal(err)
	}
	for start, want := range []int{1, 0} {
		c.Loop.Generations++
		finished, w := work(t, path, c, -1)
		if !finished || w.logged("begun by an earlier version") != want || w.logged("settings=unit") != want || w.logged("going on with the run") != 1 {
			t.Errorf("start %d: finished: %t, logged %q", start, finished, w.lines)
		}
	}
	if err := os.WriteFile(archived, append(content, "unit: turn\n"...), 0o666); err != nil {
		t.Fatal(err)
	}
	dir, err := OpenDir(path)
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	if _, err := dir.begun(nil); err == nil {
		t.Error("a run that did something else continues")
	}
}
