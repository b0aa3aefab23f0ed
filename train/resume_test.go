package train

import (
	"path/filepath"
	"testing"

	"warren/settings"
)

// A run goes on whatever its directory is called: the name is not a pattern for its files.
func TestRunPathIsNoPattern(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "run [1]")
	c := tiny(settings.Sync)
	c.Loop.Generations = 1
	work(t, path, c, -1)
	before := counters(t, path)
	work(t, path, c, -1)
	if after := counters(t, path); before.Step == 0 || after.Step != before.Step {
		t.Errorf("a finished run went on from step %d to step %d", before.Step, after.Step)
	}
}
