package house

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	settingHeading = regexp.MustCompile(`(?m)^###? ([a-z_.0-9]+)$`)
	settingName    = regexp.MustCompile("`((?:loop|network|selfplay|search|data|learner|match)\\.[a-z_.0-9]+[a-z_0-9])(?:[ :=][^`]*)?`")
	seriesName     = regexp.MustCompile("`((?:loss|held_out|games|openings|match|gatekeeper|probe|speed|wait|device|window|total|memory)/[a-z_]+)`")
)

// TestNamesInDocuments checks that each setting and each series that a document names is there: in the pages of all
// settings and of all series, which are compared with the code. What was tried in the past may have had others.
func TestNamesInDocuments(t *testing.T) {
	const docs = "../../docs"
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join(docs, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	settings, series := map[string]bool{}, map[string]bool{}
	for _, m := range settingHeading.FindAllStringSubmatch(read("reference/settings.md"), -1) {
		settings[m[1]] = true
	}
	for _, m := range seriesName.FindAllStringSubmatch(read("reference/metrics.md"), -1) {
		series[m[1]] = true
	}
	seen := 0
	check := func(path string, pattern *regexp.Regexp, known map[string]bool, what string) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range pattern.FindAllStringSubmatch(string(text), -1) {
			seen++
			if !known[m[1]] && !strings.HasSuffix(m[1], ".yaml") {
				t.Errorf("%s: there is no %s %s", path, what, m[1])
			}
		}
	}
	err := filepath.WalkDir(docs, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if name := entry.Name(); entry.IsDir() && name == "research" {
			return filepath.SkipDir
		}
		if filepath.Ext(path) == ".md" {
			check(path, settingName, settings, "setting")
			check(path, seriesName, series, "series")
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	check("../../README.md", settingName, settings, "setting")
	check("../../net/bundled/card.md", settingName, settings, "setting")
	if seen < 100 {
		t.Errorf("found only %d names", seen)
	}
}

var documentName = regexp.MustCompile(`\b(docs/[a-z0-9/_-]+\.(?:md|svg|log|jsonl?))(?:#([a-z0-9-]+))?\b`)

// TestDocumentsInSourcesExist checks that each document that a source, a help text or a setting names is there, with
// the heading that it names.
func TestDocumentsInSourcesExist(t *testing.T) {
	seen := 0
	eachFile(t, []string{".go", ".yaml", ".js", ".mjs", ".sh"}, func(path, text string) {
		if strings.HasSuffix(path, "_test.go") {
			return
		}
		for _, m := range documentName.FindAllStringSubmatch(text, -1) {
			seen++
			document, err := os.ReadFile(filepath.Join(root, m[1]))
			if err != nil {
				t.Errorf("%s: there is no %s", path, m[1])
			} else if m[2] != "" && !anchors(string(document))[m[2]] {
				t.Errorf("%s: no heading of %s is %s", path, m[1], m[2])
			}
		}
	})
	if seen < 50 {
		t.Errorf("found only %d names of documents", seen)
	}
}

var quoted = regexp.MustCompile(`\*"(?:N )?([^"]+?)"\*`)

// TestMessagesInDocuments checks that the program says what a how-to quotes.
func TestMessagesInDocuments(t *testing.T) {
	var sources strings.Builder
	eachSource(t, func(_, text string) { sources.WriteString(text) })
	pages, err := filepath.Glob(filepath.Join(root, "docs/how-to/*.md"))
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range quoted.FindAllStringSubmatch(strings.Join(strings.Fields(string(text)), " "), -1) {
			seen++
			if !strings.Contains(sources.String(), m[1]) {
				t.Errorf("%s: the program does not say %q", page, m[1])
			}
		}
	}
	if seen < 5 {
		t.Errorf("found only %d messages", seen)
	}
}
