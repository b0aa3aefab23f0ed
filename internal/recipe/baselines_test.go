package recipe

import (
	"slices"
	"strings"
	"testing"
)

// Different labels have different series and files, on every file system.
func TestSeriesOfBaselines(t *testing.T) {
	long := strings.Repeat("long ", 60)
	m := Match{Baselines: `random alphabeta:nodes=2000,depth=3 greedy:label=a.b greedy:label=a-b greedy:label=A-b
		"greedy:label=a b" 'greedy:label="x, y=z"' greedy:label=é "greedy:label=` + long + `1" "greedy:label=` + long + `2" 'aei:./my\bot "an argument";tcmove=2s'`}
	all, err := m.Opponents()
	if err != nil {
		t.Fatal(err)
	}
	var names, files []string
	for _, b := range all {
		names, files = append(names, b.Name()), append(files, strings.ToLower(b.Series))
	}
	if want := []string{"random", "alphabeta:nodes=2000,depth=3", "a.b", "a-b", "A-b", "a b", "x, y=z", "é"}; !slices.Equal(names[:len(want)], want) {
		t.Errorf("names %q, want %q", names, want)
	}
	if want := []string{"random", "alphabeta-nodes-2000-depth-3", "a_2eb", "a-b", "_41-b", "a_20b", "x_2c_20y_3dz", "_c3_a9"}; !slices.Equal(files[:len(want)], want) {
		t.Errorf("files %q, want %q", files, want)
	}
	for i, file := range files {
		if slices.Contains(files[:i], file) || len(file) > 120 || strings.Trim(file, "abcdefghijklmnopqrstuvwxyz0123456789-_") != "" {
			t.Errorf("%q has the file %q", names[i], file)
		}
	}
}

// The names that the run itself uses, and those of other players, cannot be taken.
func TestBaselinesThatCannotBe(t *testing.T) {
	for text, want := range map[string]string{
		"greedy:label=first":                               `the run itself uses the name "first"`,
		"greedy:label=elo":                                 `the run itself uses the name "elo"`,
		"greedy:label=elo_margin":                          `the run itself uses the name "elo_margin"`,
		"greedy:label=gatekeeper":                          `the run itself uses the name "gatekeeper"`,
		"greedy:label=gen-00012":                           `the run itself uses the name "gen-00012"`,
		"greedy:label=random":                              `the run itself uses the name "random"`,
		"greedy random greedy":                             `"greedy" has the name of another player`,
		"greedy:label=a random:label=a":                    `"a" has the name of another player`,
		"alphabeta:depth=2 greedy:label=alphabeta-depth-2": `"alphabeta-depth-2" has the name of another player`,
		`greedy:label="a b`:                                `the quote " in`,
		"gredy":                                            `did you mean "greedy"`,
	} {
		c := DefaultConfig()
		c.Match.Baselines = text
		if err := c.Validate(); err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "match.baselines: ") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}
