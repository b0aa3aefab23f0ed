package analysis

import (
	"os"
	"reflect"
	"strings"
	"testing"
)

// docs/reference/analysis.md has every field of queries and answers.
func TestPage(t *testing.T) {
	content, err := os.ReadFile("../../docs/reference/analysis.md")
	if err != nil {
		t.Fatal(err)
	}
	query, answer, _ := strings.Cut(string(content), "## Answer")
	for page, of := range map[*string]any{&query: Query{}, &answer: Answer{}} {
		for _, f := range reflect.VisibleFields(reflect.TypeOf(of)) {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if !strings.Contains(*page, "| `"+name+"` |") {
				t.Errorf("the page lacks %s of %T", name, of)
			}
		}
	}
	_, steps, _ := strings.Cut(answer, "Each of `steps` has")
	for _, f := range reflect.VisibleFields(reflect.TypeOf(Step{})) {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); !strings.Contains(steps, "| `"+name+"` |") {
			t.Errorf("the page lacks %s of a step", name)
		}
	}
}
