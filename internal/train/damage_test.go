package train

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"warren/internal/observe"
	"warren/internal/recipe"
)

// What Examine says of a damaged run is what the run itself then says, and it changes nothing.
func TestExamine(t *testing.T) {
	t.Parallel()
	whole := filepath.Join(t.TempDir(), "run")
	c := tiny(recipe.Sync)
	c.Loop.Generations, c.Match.Every, c.Match.Games, c.Match.Baselines = 2, 2, 2, "random"
	work(t, whole, c, -1)
	if err := os.WriteFile(filepath.Join(whole, "discarded.json"), []byte("[]"), 0o666); err != nil {
		t.Fatal(err)
	}
	seen, all := 0, 0
	problems, err := Examine(t.Context(), whole, func(done, total int) { seen, all = done, total })
	if err != nil || len(problems) > 0 || seen == 0 || seen != all {
		t.Errorf("of a whole run: %q, %v, with %d of %d looked at", problems, err, seen, all)
	}

	for _, harm := range []struct {
		name string
		do   func([]byte) []byte
	}{
		{"cut", func(b []byte) []byte { return b[:len(b)/2] }},
		{"empty", func([]byte) []byte { return nil }},
		{"flipped", func(b []byte) []byte { b[len(b)*2/3] ^= 4; return b }},
		{"replaced by a directory", nil},
	} {
		for _, files := range []string{"config.yaml", "discarded.json", "games/*", "learner/*", "all learner/*", "networks/*", "matches/gen-*.json"} {
			path := filepath.Join(t.TempDir(), "run")
			if err := os.CopyFS(path, os.DirFS(whole)); err != nil {
				t.Fatal(err)
			}
			pattern, every := strings.CutPrefix(files, "all ")
			damaged, err := filepath.Glob(filepath.Join(path, pattern))
			if err != nil || len(damaged) == 0 {
				t.Fatal(damaged, err)
			}
			if !every {
				damaged = damaged[len(damaged)-1:]
			}
			for _, file := range damaged {
				if harm.do == nil {
					err = errors.Join(os.Remove(file), os.Mkdir(file, 0o777))
				} else {
					err = os.WriteFile(file, harm.do(read(t, file)), 0o666)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			before := content(t, path)
			problems, err := Examine(t.Context(), path, func(int, int) {})
			if err != nil || !maps.Equal(before, content(t, path)) {
				t.Fatalf("%s %s: it changes files, or %v", files, harm.name, err)
			}
			if harm.name == "flipped" && (files == "matches/gen-*.json" || files == "config.yaml") {
				continue // they have no hash, so it may be another value, or text
			}
			said := lines(t, path, c)
			if len(said) == 0 || len(problems) != len(said) {
				t.Errorf("%s %s: found %q, and the run says %q", files, harm.name, problems, said)
			}
			for _, line := range said {
				if !slices.ContainsFunc(damaged, func(file string) bool { return strings.Contains(line, filepath.Base(file)) }) {
					t.Errorf("%s %s: the run does not name the file: %q", files, harm.name, line)
				}
				then, why, _ := strings.Cut(line, " error=")
				then, _, _ = strings.Cut(then, " path=")
				if !slices.ContainsFunc(problems, func(p string) bool { return strings.Contains(p, then) && strings.Contains(p, why) }) {
					t.Errorf("%s %s: found %q, and the run says %q", files, harm.name, problems, line)
				}
			}
		}
	}
}

// A checkpoint that does not fit the settings, of which a digit is wrong, is refused.
func TestExamineWithOtherSettings(t *testing.T) {
	t.Parallel()
	path := t.TempDir()
	c := tiny(recipe.Sync)
	c.Loop.Generations = 1
	work(t, path, c, -1)
	c.Network.Channels *= 2
	if err := (&Dir{path: path}).saveSettings(&c); err != nil {
		t.Fatal(err)
	}
	problems, err := Examine(t.Context(), path, func(int, int) {})
	said := lines(t, path, c)
	if err != nil || len(problems) != 1 || len(said) != 1 || !strings.Contains(problems[0], said[0]) || !strings.Contains(said[0], "does not fit the settings") {
		t.Errorf("found %q, %v, and the run says %q", problems, err, said)
	}
}

// A run whose device this machine lacks continues on another.
func TestExamineWithoutTheDevice(t *testing.T) {
	t.Parallel()
	path := t.TempDir()
	c := tiny(recipe.Sync)
	c.Device = "opencl:99"
	if err := (&Dir{path: path}).saveSettings(&c); err != nil {
		t.Fatal(err)
	}
	if problems, err := Examine(t.Context(), path, func(int, int) {}); err != nil || len(problems) > 0 {
		t.Errorf("found %q, %v", problems, err)
	}
}

// lines returns the warnings or the error with which the run at path continues and reads its matches.
func lines(t *testing.T, path string, c recipe.Config) []string {
	t.Helper()
	dir, err := OpenDir(path)
	if err != nil {
		return []string{err.Error()}
	}
	defer dir.Close()
	w := &watcher{left: -1}
	run, err := Open(t.Context(), dir, c, observe.Nobody, nil, slog.New(w))
	if err != nil {
		return []string{err.Error()}
	}
	defer run.Close()
	if _, err := dir.records(slog.New(w)); err != nil {
		return []string{err.Error()}
	}
	return slices.DeleteFunc(w.lines, func(line string) bool { return !strings.Contains(line, " error=") })
}

// A run that has lost its settings is refused, a directory without a run has no problem, and Ctrl-C ends it.
func TestExamineWithoutSettings(t *testing.T) {
	t.Parallel()
	path := t.TempDir()
	if problems, err := Examine(t.Context(), path, nil); err != nil || len(problems) > 0 {
		t.Errorf("of no run: %q, %v", problems, err)
	}
	d := &Dir{path: path}
	for _, sub := range d.subdirectories() {
		if err := os.MkdirAll(sub, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		file string
		lost bool
	}{
		{d.checkpoint(0), false}, {d.Network(0), false}, // of a start that was killed
		{d.checkpoint(7), true}, {d.Network(1), true}, {d.Metrics(), true},
	} {
		if err := os.WriteFile(c.file, nil, 0o666); err != nil {
			t.Fatal(err)
		}
		_, err := Examine(t.Context(), path, nil)
		if lost := err != nil && strings.Contains(err.Error(), "has lost its settings"); lost != c.lost || !lost && err != nil {
			t.Errorf("with %s and no settings: %v", c.file, err)
		}
		if err := os.Remove(c.file); err != nil {
			t.Fatal(err)
		}
	}
	c := tiny(recipe.Sync)
	c.Loop.Generations = 0 // nor a duration: the run would never end
	if err := (&Dir{path: path}).saveSettings(&c); err != nil {
		t.Fatal(err)
	}
	invalid := c.Validate()
	problems, err := Examine(t.Context(), path, nil)
	if err != nil || len(problems) != 1 || invalid == nil || !strings.Contains(problems[0], invalid.Error()) {
		t.Errorf("of settings that do not fit together: %q, %v; want %v", problems, err, invalid)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := Examine(ctx, path, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("after Ctrl-C: %v", err)
	}
}
