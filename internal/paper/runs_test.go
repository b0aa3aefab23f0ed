package paper

import (
	"fmt"
	"io/fs"
	"math"
	"os"
	"strings"
	"testing"
	"testing/fstest"
)

// TestResultsAreOnTheirPages: results that have nothing but wins and losses were taken from the run's page.
func TestResultsAreOnTheirPages(t *testing.T) {
	repository := os.DirFS(root)
	r, err := rate(repository)
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, run := range r.runs {
		found := phrases(section(t, repository, run.Page))
		for _, p := range run.Pairings {
			if p.Tally.Turns > 0 {
				continue
			}
			seen++
			if !found[fmt.Sprint(p.Tally.Wins)] {
				t.Errorf("docs/runs/%s: %s does not say that %s won %d games against %s", run.file, run.Page, p.Player, p.Tally.Wins, p.Opponent)
			}
		}
		for _, p := range run.Points {
			if p.Games > 0 && !found[fmt.Sprint(p.Games)] {
				t.Errorf("docs/runs/%s: %s does not have the %d games of %s", run.file, run.Page, p.Games, p.Player)
			}
		}
	}
	if seen < 50 {
		t.Errorf("found only %d results", seen)
	}
}

// TestFaultsOfRuns: a wrong file of docs/runs is refused with what is wrong in it.
func TestFaultsOfRuns(t *testing.T) {
	for _, c := range []struct{ file, old, new, says string }{
		{"quick.json", `"core": 1.0`, `"cores": 1.0`, `docs/runs/hardware.tsv has no "cores"`},
		{"h200.json", `{"6x64": 313300000}`, `{"5x48": 313300000}`, "docs/runs/speeds.tsv has no evaluations of 5x48"},
		{"quick.json", `"player": "quick-5", "network"`, `"player": "quick-6", "network"`, "quick-6 has no games"},
		{"quick.json", `, "core_hours": 2.0`, ``, "neither core_hours nor evaluations"},
		{"quick.json", `"page"`, `"pages"`, `unknown field "pages"`},
		{"quick.json", `"wins": 187`, `"wins": "187"`, "cannot unmarshal"},
		{"climb.json", `docs/climb/ladder.json`, `docs/climb/ladders.json`, "ladders.json"},
		{"hardware.tsv", "core\t10", "core\tten", `"ten", and must be a positive number`},
		{"hardware.tsv", "core\t10", "core\t-10", `"-10", and must be a positive number`},
		{"hardware.tsv", "core\t10", "core 10", "line 2: 2 columns, and the first line has 3"},
	} {
		files := fstest.MapFS{}
		for _, pattern := range []string{"docs/runs/*.*", "docs/climb/ladder.json"} {
			names, err := fs.Glob(os.DirFS(root), pattern)
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range names {
				text, err := fs.ReadFile(os.DirFS(root), name)
				if err != nil {
					t.Fatal(err)
				}
				if strings.HasSuffix(name, "/"+c.file) {
					changed := strings.Replace(string(text), c.old, c.new, 1)
					if changed == string(text) {
						t.Errorf("%s does not contain %s", c.file, c.old)
					}
					text = []byte(changed)
				}
				files[name] = &fstest.MapFile{Data: text}
			}
		}
		if _, err := rate(files); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s with %q: the error is %v, and should say %q", c.file, c.new, err, c.says)
		}
	}
}

// TestReaches: between two points of a run its rating is on the line through them.
func TestReaches(t *testing.T) {
	r := &Run{Points: []Point{{CoreHours: 2, elo: 100}, {CoreHours: 4, elo: 300}, {CoreHours: 8, elo: 500}}}
	for elo, want := range map[float64]float64{50: 2, 100: 2, 150: 2.5, 301: 4.02, 500: 8, 600: 8} {
		if got := r.reaches(elo); math.Abs(got-want) > 1e-9 {
			t.Errorf("it reaches %.0f after %g core-hours, want %g", elo, got, want)
		}
	}
}
