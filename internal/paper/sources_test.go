package paper

import (
	"io/fs"
	"os"
	"regexp"
	"strings"
	"testing"
)

// missing returns the numbers of text that none of the sources has.
func missing(t *testing.T, repository fs.FS, text, sources string) (absent []string) {
	t.Helper()
	found := map[string]bool{}
	for _, source := range strings.Fields(sources) {
		for p := range phrases(section(t, repository, source)) {
			found[p] = true
		}
	}
	for _, p := range phrase.FindAllString(text, -1) {
		if !found[normal(p)] {
			absent = append(absent, p)
		}
	}
	return absent
}

// TestFiguresAreInTheirSources: each number of the tables that the paper is made from is in the section that its row
// cites, and so is each result of a run that was taken from a page.
func TestFiguresAreInTheirSources(t *testing.T) {
	repository := os.DirFS(root)
	names, err := fs.Glob(repository, "docs/paper/data/*.tsv")
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, name := range append(names, "docs/runs/speeds.tsv") {
		table, err := readTable(repository, name)
		if err != nil {
			t.Fatal(err)
		}
		for i, row := range table.rows {
			source := table.cell(i, "source")
			if strings.HasSuffix(name, "/settings.tsv") {
				continue // its values are those of the settings themselves
			}
			if source == "" {
				t.Errorf("%s: the row %q cites nothing", name, row[0])
				continue
			}
			for c, cell := range row {
				if column := table.columns[c]; column == "source" || column == "record" || name != "docs/paper/data/facts.tsv" && c == 0 && column == "recipe" || column == "seed" {
					continue
				}
				seen += len(phrase.FindAllString(cell, -1))
				for _, p := range missing(t, repository, cell, source) {
					t.Errorf("%s: %s of the row %q is not in %s", name, p, row[0], source)
				}
			}
		}
	}
	if seen < 150 {
		t.Errorf("found only %d numbers", seen)
	}
}

var (
	command = regexp.MustCompile("(?m)^```sh\n|\\b(?:go (?:run|test) |sh internal/)")
	notKept = "The program of this trial was not kept."
	// noTrials are sources without a trial: literature, definitions, what tests hold, and a sum of the stages' games.
	noTrials = map[string]bool{
		"docs/paper/references.bib":        true,
		"docs/reference/encoding.md":       true,
		"docs/reference/settings.md":       true,
		"net/bundled/card.md#what-it-is":   true,
		"net/bundled/card.md#what-it-cost": true,
	}
)

// TestSourcesHaveCommands: each entry that a number of the paper comes from has a command that repeats it, or says that
// the program was not kept.
func TestSourcesHaveCommands(t *testing.T) {
	repository := os.DirFS(root)
	names, err := fs.Glob(repository, "docs/paper/data/*.tsv")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, name := range names {
		table, err := readTable(repository, name)
		if err != nil {
			t.Fatal(err)
		}
		for i := range table.rows {
			if strings.HasSuffix(name, "/settings.tsv") {
				continue
			}
			for _, source := range strings.Fields(table.cell(i, "source")) {
				if seen[source] || noTrials[source] {
					continue
				}
				seen[source] = true
				if text := section(t, repository, source); !command.MatchString(text) && !strings.Contains(text, notKept) {
					t.Errorf("%s has no command, and does not say: %s", source, notKept)
				}
			}
		}
	}
	if len(seen) < 40 {
		t.Errorf("found only %d sources", len(seen))
	}
}
