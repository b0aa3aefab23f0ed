package paper

import (
	"io/fs"
	"regexp"
	"strings"
	"testing"
)

var mark = regexp.MustCompile(`[^\p{L}\p{N}_ -]`)

const number = `\d[\d,]*(?:\.\d+)?(?:e-?\d+)?`

var (
	numberAlone = regexp.MustCompile(number)
	// phrase is a number as it is checked: 65%, 243 of 400, 58 to 72%.
	phrase = regexp.MustCompile(number + `(?: (?:of|to) ` + number + `)?(?: million)?%?`)
)

// phrases returns the numbers of a text, with and without what belongs to them.
func phrases(text string) map[string]bool {
	text = strings.Join(strings.Fields(text), " ")
	found := map[string]bool{}
	for _, pattern := range []*regexp.Regexp{numberAlone, phrase} {
		for _, m := range pattern.FindAllString(text, -1) {
			found[normal(m)] = true
		}
	}
	return found
}

func normal(phrase string) string { return strings.ReplaceAll(phrase, ",", "") }

// section returns the part of a document from an anchor to the next heading of its level, or all without an anchor.
func section(t *testing.T, repository fs.FS, source string) string {
	t.Helper()
	file, anchor, _ := strings.Cut(source, "#")
	text, err := fs.ReadFile(repository, file)
	if err != nil {
		t.Fatal(err)
	}
	if anchor == "" {
		return string(text)
	}
	var part strings.Builder
	inside, code := false, false
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "```") {
			code = !code
		}
		heading := !code && strings.HasPrefix(line, "#")
		if inside && heading {
			break
		}
		slug := strings.ReplaceAll(mark.ReplaceAllString(strings.ToLower(strings.TrimLeft(strings.TrimSpace(line), "# ")), ""), " ", "-")
		if strings.Contains(line, `<a name="`+anchor+`">`) || heading && slug == anchor {
			inside = true
		}
		if inside {
			part.WriteString(line)
		}
	}
	if part.Len() == 0 {
		t.Fatalf("%s has no section %s", file, anchor)
	}
	return part.String()
}
