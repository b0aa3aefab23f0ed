package train

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"warren/internal/recipe"
	"warren/internal/settings"
)

// TestRunOfAnEarlierVersionContinues: settings that were removed since the run began are
// left out, and the log says so once.
func TestRunOfAnEarlierVersionContinues(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "run")
	c := tiny(recipe.Sync)
	c.Loop.Generations = 1
	if finished, w := work(t, path, c, -1); !finished {
		t.Fatalf("logged %q", w.lines)
	}
	saved := filepath.Join(path, "config.yaml")
	written, err := os.ReadFile(saved)
	if err != nil {
		t.Fatal(err)
	}
	by := func(unit string) []byte { // as commit f288acf wrote it
		return bytes.Replace(append(written, "turns:\n  candidates: 7\n"...), []byte("\nselfplay:\n"), []byte("\nselfplay:\n  unit: "+unit+"\n"), 1)
	}
	if err := os.WriteFile(saved, by("step"), 0o666); err != nil {
		t.Fatal(err)
	}
	for start, want := range []int{1, 0} {
		c.Loop.Generations++
		finished, w := work(t, path, c, -1)
		if !finished || w.logged("begun by an earlier version") != want || w.logged("removed, with values that change nothing: selfplay.unit, turns") != want || w.logged("continuing with the run") != 1 {
			t.Errorf("start %d: finished: %t, logged %q", start, finished, w.lines)
		}
	}
	if err := os.WriteFile(saved, by("turn"), 0o666); err != nil {
		t.Fatal(err)
	}
	dir, err := OpenDir(path)
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	const want = "selfplay.unit: this setting was removed, and commit f288acf still had it"
	if _, err := dir.begun(slog.New(slog.DiscardHandler)); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("a run that searched otherwise: %v", err)
	}
}

// TestSettingsOfCommitF288acf: a run that commit f288acf began with a preset continues. Every
// setting that it had is a setting now, or was removed or renamed, and the settings of the
// recipe are those of the preset now. A new setting outside of all sections would make such a file look as if it
// were cut off, so it needs an exception where that is decided.
func TestSettingsOfCommitF288acf(t *testing.T) {
	for _, preset := range []string{"smoke", "quick", "desktop", "gpu"} {
		now := recipe.DefaultConfig()
		written, err := os.ReadFile(filepath.Join("testdata", "f288acf", preset+".yaml"))
		if err != nil {
			t.Fatal(err)
		}
		dir := &Dir{path: t.TempDir()}
		if err := os.WriteFile(dir.config(), written, 0o666); err != nil {
			t.Fatal(err)
		}
		then, older, err := dir.readSettings()
		if err != nil {
			t.Errorf("%s: %v", preset, err)
			continue
		}
		if !slices.Contains(older.Removed, "search.gumbel.interior") || !slices.Contains(older.Renamed, "search.win_tests.steps -> search.win_test_steps") {
			t.Errorf("%s: %v", preset, older)
		}
		if err := then.Validate(); err != nil {
			t.Errorf("%s: %v", preset, err)
		}
		if preset == "desktop" {
			preset = "default" // desktop had no stages then, and all settings of the defaults
		}
		if preset == "gpu" {
			continue // whose recipe has changed
		}
		if err := settings.Read(preset, nil, &now); err != nil {
			t.Fatal(err)
		}
		now.SelfPlay.SetupPolicyWeight = 0.1 // when placements were searched
		if preset == "smoke" {
			if then.SelfPlay.Visits.Final != 8 || then.Network.Channels != 16 || then.Search.WinTestSteps != 0 || then.Search.FPUReduction != 0.1 {
				t.Errorf("smoke: read %+v", then)
			}
		} else if then != now {
			t.Errorf("%s:\nthen %+v\nnow  %+v", preset, then, now)
		}
	}
}
