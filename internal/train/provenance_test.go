package train

import (
	"path/filepath"
	"strconv"
	"testing"

	"warren/internal/recipe"
	"warren/net"
)

// A network's metadata has the time that the run had taken, except in a
// synchronous run, whose files do not depend on the clock.
func TestNetworksSayHowLongTheRunTook(t *testing.T) {
	t.Parallel()
	for mode, want := range map[string]bool{recipe.Async: true, recipe.Sync: false} {
		path := filepath.Join(t.TempDir(), "run")
		work(t, path, tiny(mode), -1)
		before := 0.0
		for generation := range 4 {
			_, meta, err := net.Load(net.GenerationFile(path, generation))
			if err != nil {
				t.Fatal(err)
			}
			text, ok := meta["seconds"]
			if ok != want {
				t.Errorf("%s: the provenance of generation %d: %v", mode, generation, meta)
			}
			if !ok {
				continue
			}
			seconds, err := strconv.ParseFloat(text, 64)
			if err != nil || seconds < before || seconds > 600 {
				t.Errorf("generation %d after %q seconds, the one before after %v", generation, text, before)
			}
			before = seconds
		}
	}
}
