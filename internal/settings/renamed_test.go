package settings

import (
	"slices"
	"strings"
	"testing"
)

// searching has settings that are renamed.
type searching struct {
	Search struct {
		RootFPUReduction float64 `yaml:"root_fpu_reduction" min:"0" max:"1"`
		WinTestSteps     int     `yaml:"win_test_steps" min:"0" max:"1000"`
	} `yaml:"search"`
}

func TestRenamedSettingsAreRead(t *testing.T) {
	const root, steps = "search.root_fpu.value -> search.root_fpu_reduction", "search.win_tests.steps -> search.win_test_steps"
	for _, c := range []struct {
		file    string
		fpu     float64
		steps   int
		renamed []string
	}{
		{"search:\n  root_fpu:\n    mode: reduction\n    value: 0.25\n", 0.25, 7, []string{root}},
		{"search: {win_tests: {on: true, force: 0, steps: 200}}", 0, 200, []string{steps}},
		{"search: {win_tests: {on: false, force: 0, steps: 200}}", 0, 0, []string{steps}},
		{"search: {win_tests: {steps: 200, on: false}}", 0, 0, []string{steps}},
		{"search: {win_tests: {on: false}}", 0, 0, []string{steps}},
		{"search: {win_tests: {on: true}}", 0, 7, nil},
		{"search: {win_test_steps: 3, root_fpu_reduction: 0.5}", 0.5, 3, nil},
	} {
		var got searching
		got.Search.WinTestSteps = 7
		r := &reader{}
		if err := r.apply("f", []byte(c.file), nil, &got); err != nil || got.Search.RootFPUReduction != c.fpu || got.Search.WinTestSteps != c.steps || !slices.Equal(r.older.Renamed, c.renamed) {
			t.Errorf("%q: %+v, %v, %v", c.file, got, r.older, err)
		}
	}
}

func TestRenamedSettingsAreRefused(t *testing.T) {
	for _, c := range []struct{ file, set, want string }{
		{"search: {root_fpu: {value: 2}}", "", "f:1: search.root_fpu.value: 2 is out of range (allowed: 0 to 1)"},
		{"search: {root_fpu: {mode: absolute}}", "", "f:1: search.root_fpu.mode: this setting was removed"},
		{"search:\n  root_fpu: {value: 0.5}\n  root_fpu_reduction: 0.5", "", "f:3: search.root_fpu_reduction: given twice, first as search.root_fpu.value"},
		{"search:\n  root_fpu_reduction: 0.5\n  root_fpu: {value: 0.5}", "", "f:3: search.root_fpu.value: given twice, first as search.root_fpu_reduction"},
		{"search: {win_tests: {on: banana}}", "", "f:1: search.win_tests.on: "},
		{"search: {win_tests: {on: [true]}}", "", "f:1: search.win_tests.on: must be one value"},
		{"search: {root_fpu: {value: !!str 0.5}}", "", "f:1: search.root_fpu.value: the tag !!str is not allowed"},
		{"search: {root_fpu: {value: &a 0.5}}", "", "f:1: search.root_fpu.value: anchors and aliases are not allowed"},
		{"", "search.root_fpu.value=0.5", "--set: search.root_fpu.value: this setting is now search.root_fpu_reduction"},
		{"", "search.win_tests.on=true", "--set: search.win_tests.on: this setting is now search.win_test_steps"},
	} {
		var got searching
		var set []string
		if c.set != "" {
			set = []string{c.set}
		}
		if err := read("f", []byte(c.file), set, &got); err == nil || !strings.HasPrefix(err.Error(), c.want) || got != (searching{}) {
			t.Errorf("%q, %q:\ngot  %v\nwant %s", c.file, c.set, err, c.want)
		}
	}
}

// TestRenamingsAreComplete: no name is old twice, or removed too.
func TestRenamingsAreComplete(t *testing.T) {
	for i, r := range renamed {
		if r.old == "" || r.new == "" || findRenaming(r.old) != &renamed[i] || findRemoval(r.old) != nil || findRenaming(r.new) != nil {
			t.Errorf("%+v is incomplete, or another entry has its name", r)
		}
	}
}
