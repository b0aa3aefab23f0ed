package net

import (
	"flag"
	"fmt"
	"os"
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
	var planes, actions strings.Builder
	planes.WriteString("| plane | name | meaning |\n|---|---|---|\n")
	for _, p := range Planes() {
		fmt.Fprintf(&planes, "| %d | `%s` | %s |\n", p.Index, p.Name, p.Meaning)
	}
	actions.WriteString("| actions | name | meaning |\n|---|---|---|\n")
	for _, a := range Actions() {
		indices := fmt.Sprint(a.First)
		if a.Last > a.First {
			indices = fmt.Sprintf("%d-%d", a.First, a.Last)
		}
		fmt.Fprintf(&actions, "| %s | `%s` | %s |\n", indices, a.Name, a.Meaning)
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
	for name, table := range map[string]string{"planes": planes.String(), "actions": actions.String(), "heads": heads.String()} {
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
