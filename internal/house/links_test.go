package house

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var link = regexp.MustCompile(`\]\(([^)\s]+)\)`)

var (
	heading = regexp.MustCompile(`(?m)^#+ (.*)$`)
	named   = regexp.MustCompile(`<a (?:name|id)="([^"]+)"`)
	mark    = regexp.MustCompile(`[^\p{L}\p{N}_ -]`)
)

// anchors returns what a link into a document can name: its headings, as web sites derive a name from them,
// and its named anchors.
func anchors(text string) map[string]bool {
	all := map[string]bool{}
	for _, m := range heading.FindAllStringSubmatch(text, -1) {
		all[strings.ReplaceAll(mark.ReplaceAllString(strings.ToLower(m[1]), ""), " ", "-")] = true
	}
	for _, m := range named.FindAllStringSubmatch(text, -1) {
		all[m[1]] = true
	}
	return all
}

// TestLinks checks that every relative link of a document leads to a file, and to an anchor if it names one.
func TestLinks(t *testing.T) {
	seen := 0
	eachFile(t, []string{".md"}, func(path, text string) {
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			target, anchor, _ := strings.Cut(m[1], "#")
			if strings.Contains(target, "://") || strings.HasPrefix(target, "mailto:") {
				continue
			}
			seen++
			file := path
			if target != "" {
				file = filepath.Join(filepath.Dir(path), target)
			}
			if _, err := os.Stat(file); err != nil {
				t.Errorf("%s: the link %s leads nowhere", path, m[1])
				continue
			}
			if anchor == "" || filepath.Ext(file) != ".md" {
				continue
			}
			if text, err := os.ReadFile(file); err != nil || !anchors(string(text))[anchor] {
				t.Errorf("%s: the link %s names no heading: %v", path, m[1], err)
			}
		}
	})
	if seen < 100 {
		t.Errorf("found only %d links", seen)
	}
}

// TestIndexListsEveryDocument checks that docs/README.md has a link to every document, or to the README.md of its
// directory. The site of warren docs is made from it.
func TestIndexListsEveryDocument(t *testing.T) {
	const docs = "../../docs"
	text, err := os.ReadFile(filepath.Join(docs, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]bool{}
	for _, m := range link.FindAllStringSubmatch(string(text), -1) {
		listed[m[1]] = true
	}
	err = fs.WalkDir(os.DirFS(docs), ".", func(name string, entry fs.DirEntry, err error) error {
		if err == nil && filepath.Ext(name) == ".md" && name != "README.md" && !listed[name] && !listed[path.Join(path.Dir(name), "README.md")] {
			t.Errorf("docs/README.md does not list %s", name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestResearchListsEveryEntry checks that the index of the research has a link to each of its entries.
func TestResearchListsEveryEntry(t *testing.T) {
	const research = "../../docs/research"
	index, err := os.ReadFile(filepath.Join(research, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]bool{}
	for _, m := range link.FindAllStringSubmatch(string(index), -1) {
		listed[m[1]] = true
	}
	pages, err := filepath.Glob(filepath.Join(research, "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	entries := 0
	for _, page := range pages {
		name := filepath.Base(page)
		if name == "README.md" || listed[name] { // the index itself, and pages that it names as a whole
			continue
		}
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range named.FindAllStringSubmatch(string(text), -1) {
			entries++
			if !listed[name+"#"+m[1]] {
				t.Errorf("docs/research/README.md has no link to %s#%s", name, m[1])
			}
		}
	}
	if entries < 40 {
		t.Errorf("found only %d entries", entries)
	}
}

// TestReadmeIsShort: the first page is read in three minutes, and in any editor.
func TestReadmeIsShort(t *testing.T) {
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	if n := len(strings.Fields(string(text))); n > 800 {
		t.Errorf("README.md has %d words, want at most 800", n)
	}
	for line := range strings.Lines(string(text)) {
		if n := len([]rune(strings.TrimSuffix(line, "\n"))); n > 120 && !strings.HasPrefix(line, "|") {
			t.Errorf("a line of README.md has %d characters, want at most 120: %s", n, line)
		}
	}
}
