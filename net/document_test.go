package net

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the generated tables into the documentation")

// TestDocument checks that the tables in docs/reference/encoding.md match the code.
func TestDocument(t *testing.T) {
	const path = "../docs/reference/encoding.md"
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var planes, actions []row
	for _, p := range Planes() {
		planes = append(planes, row{p.Index, p.Index, p.Name, p.Meaning})
	}
	for _, a := range Actions() {
		actions = append(actions, row{a.First, a.Last, a.Name, a.Meaning})
	}
	var heads strings.Builder
	heads.WriteString("| name | shape | meaning | weight of the loss |\n|---|---|---|---|\n")
	c := DefaultConfig()
	c.Auxiliary = strings.Join(AuxiliaryHeads(), " ")
	for _, h := range c.Heads() {
		if h.Auxiliary {
			fmt.Fprintf(&heads, "| `%s` | [batch, %d] | %s | %.3g |\n", h.Name, h.Size, h.Meaning, h.Weight)
		}
	}
	want := string(content)
	for name, table := range map[string]string{"planes": table("plane", planes), "actions": table("action", actions), "heads": heads.String()} {
		before, rest, ok := strings.Cut(want, "<!-- "+name+": generated -->\n")
		_, after, ended := strings.Cut(rest, "<!-- end -->")
		if !ok || !ended {
			t.Fatalf("%s has no place for the %s", path, name)
		}
		want = before + "<!-- " + name + ": generated -->\n" + table + "<!-- end -->" + after
	}
	if want == string(content) {
		return
	}
	if !*update {
		t.Fatalf("the tables in %s do not match the code; write them with go test ./net -run Document -update", path)
	}
	if err := os.WriteFile(path, []byte(want), 0o666); err != nil {
		t.Fatal(err)
	}
}

// row describes the indices first to last of a table.
type row struct {
	first, last   int
	name, meaning string
}

// varies matches the words by which the meanings of neighbours may differ if they share a row.
var varies = regexp.MustCompile(`\b(?:rabbit|cat|dog|horse|camel|elephant)s?\b|\d+`)

// table writes rows, with one line for neighbours that mean the same of other pieces or numbers.
func table(index string, rows []row) string {
	var b strings.Builder
	fmt.Fprintf(&b, "| %s | name | meaning |\n|---|---|---|\n", index)
	for len(rows) > 0 {
		n := 1
		for n < len(rows) && varies.ReplaceAllString(rows[n].meaning, "") == varies.ReplaceAllString(rows[0].meaning, "") {
			n++
		}
		names := make([]string, n)
		for i, r := range rows[:n] {
			names[i] = "`" + r.name + "`"
		}
		word := -1
		meaning := varies.ReplaceAllStringFunc(rows[0].meaning, func(string) string {
			word++
			words := make([]string, n)
			for i, r := range rows[:n] {
				words[i] = varies.FindAllString(r.meaning, -1)[word]
			}
			if slices.Equal(words, slices.Repeat(words[:1], n)) {
				return words[0]
			}
			return strings.Join(words, ", ")
		})
		indices := fmt.Sprint(rows[0].first)
		if last := rows[n-1].last; last > rows[0].first {
			indices += fmt.Sprintf("-%d", last)
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", indices, strings.Join(names, ", "), meaning)
		rows = rows[n:]
	}
	return b.String()
}

func TestActionsCoverThePolicy(t *testing.T) {
	next := 0
	for _, a := range Actions() {
		if a.First != next || a.Last < a.First {
			t.Errorf("%s is %d to %d, after %d", a.Name, a.First, a.Last, next-1)
		}
		next = a.Last + 1
	}
	if next != 263 {
		t.Errorf("the last action is %d", next-1)
	}
}

func TestPlanesHaveNames(t *testing.T) {
	seen := map[string]bool{}
	for i, p := range Planes() {
		if p.Index != i || p.Meaning == "" || seen[p.Name] || strings.HasPrefix(p.Name, "zero") != (i >= numPlanesUsed) {
			t.Errorf("plane %d is %+v", i, p)
		}
		seen[p.Name] = true
	}
}
