package train

import (
	"os"
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

// Every generation of a synchronous run plays its games, also when generations have fewer than those
// before, and an interruption changes nothing.
func TestGenerationsMayHaveFewerGames(t *testing.T) {
	t.Parallel()
	c := tiny(settings.Sync)
	c.Loop.Generations = 2
	whole, broken := filepath.Join(t.TempDir(), "run"), filepath.Join(t.TempDir(), "run")
	work(t, whole, c, -1)
	before := counters(t, whole)
	if err := os.CopyFS(broken, os.DirFS(whole)); err != nil {
		t.Fatal(err)
	}
	c.Loop.Generations, c.Loop.FirstGames, c.Loop.GamesPerGeneration = 3, 2, 3
	work(t, whole, c, -1)
	if after := counters(t, whole); after.Games != before.Games+3 || after.Step == before.Step {
		t.Errorf("it went on from %+v to %+v", before, after)
	}
	work(t, broken, c, 2) // until its games are saved
	work(t, broken, c, -1)
	if final(t, whole) != final(t, broken) {
		t.Error("an interrupted run gave another network")
	}
}
