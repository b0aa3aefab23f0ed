package experiment

import (
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "rewrite testdata/report.md")

// example is an experiment with everything that a report can show.
func example(t *testing.T) *Report {
	t.Helper()
	p := plan(t, "a", "b:search.cpuct_init=0.5,learner.batch=64", "same")
	p.Budget, p.References = 5*time.Minute, []string{"greedy", "random"}
	r := &Report{Plan: &p, Time: time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)}
	for _, v := range p.Variants[1:] {
		list, err := differences(p.Variants[0].Settings, v.Settings)
		if err != nil {
			t.Fatal(err)
		}
		r.Settings = append(r.Settings, Settings{v.Name, list})
	}
	references, err := p.references()
	if err != nil {
		t.Fatal(err)
	}
	games := results{}
	games.play("a-1", "b-1", 18, 20)
	games.play("a-1", "b-2", 17, 20)
	games.play("a-2", "b-1", 18, 20)
	games.play("a-2", "b-2", 17, 20)
	games.play("b-1", "greedy", 60, 60)
	games.play("b-2", "greedy", 60, 60)
	games.play("greedy", "a-1", 60, 60)
	games.play("greedy", "a-2", 60, 60)
	games.play("a-1", "random", 15, 20)
	games.play("greedy", "random", 20, 20)
	for _, c := range []struct {
		at    float64
		games results
	}{{1, games}, {0.5, results{}}} {
		table, err := newCrossTable(c.at, p.contestants(references), c.games)
		if err != nil {
			t.Fatal(err)
		}
		r.Tables = append(r.Tables, table)
	}
	for _, v := range p.Variants {
		s := RunState{Run: Run{v.Name, 1}, State: "training", Done: 0.8, Starts: 1}
		s.add(series(4))
		r.Runs = append(r.Runs, s)
	}
	r.Runs = append(r.Runs, RunState{Run: Run{"same", 2}, State: "waiting"})
	return r
}

func TestReportText(t *testing.T) {
	var text strings.Builder
	r := example(t)
	r.Plan.Budget, r.Plan.Seeds, r.Tables[0].Games = time.Minute, 1, 1
	if err := r.Write(&text); err != nil || !strings.Contains(text.String(), " 1 seed, 1 minute of processor time") || !strings.Contains(text.String(), ", after 1 game; ") {
		t.Errorf("of a minute, a seed and a game: %v\n%s", err, text.String())
	}
	text.Reset()
	if err := example(t).Write(&text); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join("testdata", "report.md")
	if *update {
		if err := errors.Join(os.MkdirAll("testdata", 0o777), os.WriteFile(path, []byte(text.String()), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	got, expected := strings.Split(text.String(), "\n"), strings.Split(string(want), "\n")
	for i := range max(len(got), len(expected)) {
		if i >= len(got) || i >= len(expected) || got[i] != expected[i] {
			t.Fatalf("line %d differs from %s (go test -update rewrites it); the report is\n%s", i+1, path, text.String())
		}
	}
}

func TestReportIsJSON(t *testing.T) {
	content, err := json.Marshal(example(t))
	if err != nil {
		t.Fatal(err)
	}
	var back Report
	if err := json.Unmarshal(content, &back); err != nil {
		t.Fatal(err)
	}
	if len(back.Tables) != 2 || back.Tables[0].Rates[0][1].Games != 80 || back.Runs[0].Decided == nil {
		t.Errorf("read back it lacks figures: %s", content)
	}
}

func TestShortNumbers(t *testing.T) {
	for v, want := range map[float64]string{0: "0", 0.123: "0.12", 1.5: "1.5", 12.34: "12.3", 123.4: "123", 60: "60", 100: "100", 5: "5"} {
		if got := short(v); got != want {
			t.Errorf("%g is written %s, want %s", v, got, want)
		}
	}
}

// A label may have the character that separates cells.
func TestCellsAreSeparate(t *testing.T) {
	var p page
	if p.row("a|b", "c"); p.String() != "| a\\|b | c |\n" {
		t.Errorf("%q", p.String())
	}
}
