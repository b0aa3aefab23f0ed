package paper

import (
	"io/fs"
	"os"
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
