package paper

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	comment = regexp.MustCompile(`(?m)(^|[^\\])%.*$`)
	// names are what LaTeX does not show, and formulas.
	names = regexp.MustCompile(`(?s)\\(?:cite[pt]?|ref|label|rows|input|board)\{[^}]*\}|\\begin\{equation\*\}.*?\\end\{equation\*\}|\{generated/[^}]*\}`)
	// mayStand are years, the confidence level, stages, sizes of networks, and names of a method, hardware and instructions.
	mayStand = regexp.MustCompile(`\b(?:19|20)\d\d\b|95\\%|[Ss]tage[~ ]\d+|Net2Net|\b\d+x\d+\b|\bH[12]00\b|AVX-512|AVX2`)
	macro    = regexp.MustCompile(`\\newcommand\{\\([A-Za-z]+)\}`)
)

// body returns the text of the paper, from the title.
func body(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "docs/paper/paper.tex"))
	if err != nil {
		t.Fatal(err)
	}
	_, after, ok := strings.Cut(string(text), `\begin{document}`)
	if !ok {
		t.Fatal(`paper.tex has no \begin{document}`)
	}
	return after
}

// TestNumbersAreNotTyped: a number in the text of the paper is a macro, whose value has a source.
func TestNumbersAreNotTyped(t *testing.T) {
	text := names.ReplaceAllString(comment.ReplaceAllString(body(t), "$1"), "")
	digits := regexp.MustCompile(`.{0,30}\d+.{0,30}`)
	for _, found := range digits.FindAllString(mayStand.ReplaceAllString(text, ""), -1) {
		t.Errorf("a number is typed by hand, and should be in docs/paper/data/facts.tsv or numbers.go: %q", found)
	}
}

// TestNumbersAreUsed: each macro is in the text.
func TestNumbersAreUsed(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, generated, "numbers.tex"))
	if err != nil {
		t.Fatal(err)
	}
	unused := map[string]bool{}
	for _, m := range macro.FindAllStringSubmatch(string(text), -1) {
		unused[m[1]] = true
	}
	if len(unused) < 50 {
		t.Errorf("found only %d macros", len(unused))
	}
	for _, m := range regexp.MustCompile(`\\([A-Za-z]+)`).FindAllStringSubmatch(body(t), -1) {
		delete(unused, m[1])
	}
	for name := range maps.Keys(unused) {
		t.Errorf("\\%s is not in the text", name)
	}
}

// TestCurvesDiffer: each run of the figure has a style of its own. A list that is too short begins again.
func TestCurvesDiffer(t *testing.T) {
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join(root, "docs/paper", name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	list := regexp.MustCompile(`(?s)cost plot/\.style=.*?cycle list=\{(.*?)\}\},`).FindStringSubmatch(read("paper.tex"))
	if list == nil {
		t.Fatal("paper.tex has no list of styles")
	}
	styles := strings.Split(list[1], "},{")
	if curves := strings.Count(read("generated/curves.tex"), `\addplot`); len(styles) < curves {
		t.Errorf("%d curves have %d styles: add one to the cycle list in paper.tex", curves, len(styles))
	}
}
