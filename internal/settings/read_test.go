package settings

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

type search struct {
	CpuctInit float64 `yaml:"cpuct_init" min:"0" max:"100" doc:"exploration constant (AlphaZero, Silver et al. 2018: 1.25)"`
	Visits    int     `yaml:"visits" min:"1" max:"1_000_000" doc:"simulations a step"`
	Noise     float32 `yaml:"noise" min:"0" max:"1" doc:"share of root noise (AlphaZero, Silver et al. 2018: 0.25)"`
}

type settings struct {
	Seed     uint64        `yaml:"seed" min:"0" max:"18446744073709551615" doc:"from which all random numbers come"`
	Name     string        `yaml:"name" doc:"what the run is called"`
	Solver   string        `yaml:"solver" oneof:"sgd adam" doc:"how weights are updated"`
	Duration time.Duration `yaml:"duration" min:"1s" max:"720h" doc:"how long to train"`
	Resign   bool          `yaml:"resign" doc:"whether games may be given up"`
	Batch    int           `yaml:"batch" oneof:"64 256" doc:"positions a step of learning"`
	Search   search        `yaml:"search" doc:"how a turn is searched"`
	ignored  int
	Derived  int `yaml:"-"`
}

func defaults() settings {
	return settings{Name: "first", Solver: "sgd", Duration: 30 * time.Minute, Resign: true, Batch: 64,
		Search: search{CpuctInit: 1.25, Visits: 100, Noise: 0.25}, ignored: 7, Derived: 8}
}

func read(source string, content []byte, set []string, into any) error {
	return new(reader).apply(source, content, set, into)
}

func TestReadLaysOverDefaults(t *testing.T) {
	got := defaults()
	file := "# a comment\nseed: 18446744073709551615\nname: 12\nduration: 1h30m\nresign: false\nbatch: 256\nsearch:\n  cpuct_init: 2e0\n"
	if err := read("f", []byte(file), []string{"search.visits=1_000", "solver=adam", "name=a=b"}, &got); err != nil {
		t.Fatal(err)
	}
	want := settings{Seed: math.MaxUint64, Name: "a=b", Solver: "adam", Duration: 90 * time.Minute, Batch: 256,
		Search: search{CpuctInit: 2, Visits: 1000, Noise: 0.25}, ignored: 7, Derived: 8}
	if got != want {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
}

func TestReadNothing(t *testing.T) {
	for _, file := range []string{"", "\n", "# only a comment\n", "---\n", "search:\n", "search:\n  # nothing set\n", "\ufeff", "{}"} {
		got := defaults()
		if err := read("f", []byte(file), nil, &got); err != nil || got != defaults() {
			t.Errorf("%q: got %+v, %v", file, got, err)
		}
	}
}

func TestReadRefuses(t *testing.T) {
	for _, c := range []struct{ file, want string }{
		{"sed: 1", "f:1: sed: no such setting; did you mean seed?"},
		{"search:\n  visits: 2\n  cpuct_inti: 1", "f:3: search.cpuct_inti: no such setting; did you mean search.cpuct_init?"},
		{"visits: 1", "f:1: visits: no such setting; did you mean search.visits?"},
		{"serach:\n  visits: 1", "f:1: serach: no such setting; did you mean search?"},
		{"search:\n  temperature: 1", "f:2: search.temperature: no such setting; the settings of search are cpuct_init, visits, noise"},
		{"see: 1", "f:1: see: no such setting; did you mean seed?"},
		{"foe: 1", "f:1: foe: no such setting; the settings are seed, name, solver, duration, resign, batch, search"}, // name and seed share too little with it
		{"search:\n  searc: 1", "f:2: search.searc: no such setting; the settings of search are cpuct_init, visits, noise"},
		{"xylophone: 1", "f:1: xylophone: no such setting; the settings are seed, name, solver, duration, resign, batch, search"},
		{"Seed: 1", "f:1: Seed: no such setting; did you mean seed?"},
		{"derived: 1", "f:1: derived: no such setting; the settings are seed, name, solver, duration, resign, batch, search"},
		{"search.visits: 1", "f:1: search.visits: dotted keys are for the command line; in a file, write visits: below search:"},
		{"<<: {seed: 1}", "f:1: <<: no such setting; the settings are seed, name, solver, duration, resign, batch, search"},
		{"seed: 1\nname: x\nseed: 2", "f:3: seed: given twice, first on line 1"},
		{"search:\n  visits: 1\nseed: 1\nsearch:\n  noise: 1", "f:4: search: given twice, first on line 1"},
		{"seed:", "f:1: seed: has no value; must have one (int, 0 to 18446744073709551615)"},
		{"name: ~", "f:1: name: has no value; must have one (text)"},
		{"seed: -1", "f:1: seed: -1 is not a whole number of zero or more (allowed: 0 to 18446744073709551615)"},
		{"seed: [1]", "f:1: seed: must be one value (int, 0 to 18446744073709551615), not a list or a section"},
		{"search: 3", "f:1: search: this is a section; write its settings below it, indented"},
		{"search: [3]", "f:1: search: this is a section; write its settings below it, indented"},
		{"search:\n  visits: 0", "f:2: search.visits: 0 is out of range (allowed: 1 to 1000000)"},
		{"search: {visits: 1e6}", "f:1: search.visits: 1e6 is not a whole number (allowed: 1 to 1000000)"},
		{"search: {visits: 0x10}", "f:1: search.visits: 0x10 is not a whole number (allowed: 1 to 1000000)"},
		{"search: {visits: 1__0}", "f:1: search.visits: 1__0 is not a whole number (allowed: 1 to 1000000)"},
		{"search: {visits: 99999999999999999999}", "f:1: search.visits: 99999999999999999999 is too large in magnitude (allowed: 1 to 1000000)"},
		{`search: {visits: "10"}`, `f:1: search.visits: "10" is text; write it without quotation marks (int, 1 to 1000000)`},
		{"search: {cpuct_init: 100.5}", "f:1: search.cpuct_init: 100.5 is out of range (allowed: 0 to 100)"},
		{"search: {cpuct_init: .nan}", "f:1: search.cpuct_init: .nan is not a finite number (allowed: 0 to 100)"},
		{"search: {cpuct_init: NaN}", "f:1: search.cpuct_init: NaN is not a finite number (allowed: 0 to 100)"},
		{"search: {cpuct_init: -.inf}", "f:1: search.cpuct_init: -.inf is not a finite number (allowed: 0 to 100)"},
		{"search: {cpuct_init: 1e999}", "f:1: search.cpuct_init: 1e999 is too large in magnitude (allowed: 0 to 100)"},
		{"search: {noise: 1e39}", "f:1: search.noise: 1e39 is too large in magnitude (allowed: 0 to 1)"},
		{"solver: adan", "f:1: solver: adan is not allowed (allowed: sgd, adam); did you mean adam?"},
		{"solver: ''", `f:1: solver: "" is not allowed (allowed: sgd, adam)`},
		{"batch: 65", "f:1: batch: 65 is not allowed (allowed: 64, 256); did you mean 64?"},
		{"duration: 30", "f:1: duration: 30 is not a duration with a unit, such as 90s, 30m or 1h30m (allowed: 1s to 720h)"},
		{"duration: 1ms", "f:1: duration: 1ms is out of range (allowed: 1s to 720h)"},
		{"resign: yes", "f:1: resign: yes is not true or false"},
		{"resign: 1", "f:1: resign: 1 is not true or false"},
		{"name: &x a", "f:1: name: anchors and aliases are not allowed in settings; write out the value"},
		{"name: !!binary aGk=", "f:1: name: the tag !!binary is not allowed in settings; write the plain value"},
		{"[a]: 1", "f:1: a key must be a plain name"},
		{"just text", "f:1: settings must be lines of the form key: value"},
		{"- 1", "f:1: settings must be lines of the form key: value"},
		{"seed: 1\n---\nseed: 2", "f:2: a second document in the file; settings must be one document"},
		{"seed: 1\n  name: x", "f:2: not YAML: mapping values are not allowed in this context"},
		{"seed: \x01", "f: not YAML: control characters are not allowed"},
	} {
		got := defaults()
		err := read("f", []byte(c.file), nil, &got)
		if err == nil || err.Error() != c.want {
			t.Errorf("%q:\ngot  %v\nwant %s", c.file, err, c.want)
		}
		if got != defaults() {
			t.Errorf("%q: Read failed, but changed the settings to %+v", c.file, got)
		}
	}
}

func TestOverridesRefuse(t *testing.T) {
	for _, c := range []struct{ set, want string }{
		{"seed", "--set: seed: must have the form key=value"},
		{"search.visit=3", "--set: search.visit: no such setting; did you mean search.visits?"},
		{"search.visits=0", "--set: search.visits: 0 is out of range (allowed: 1 to 1000000)"},
		{"search.visits=", "--set: search.visits: has no value; must be a whole number (allowed: 1 to 1000000)"},
		{"search.visits=many visits", `--set: search.visits: "many visits" is not a whole number (allowed: 1 to 1000000)`},
		{"search=3", "--set: search: this is a section; set one of its settings: cpuct_init, visits, noise"},
		{"name=\xff", `--set: name: "\xff" is not valid UTF-8`},
		{"search.cpuct_init=inf", "--set: search.cpuct_init: inf is not a finite number (allowed: 0 to 100)"},
		{"=3", "--set: =3: must have the form key=value"},
	} {
		got := defaults()
		err := read("", nil, []string{"batch=256", c.set}, &got)
		if err == nil || err.Error() != c.want || got != defaults() {
			t.Errorf("%q:\ngot  %v\nwant %s", c.set, err, c.want)
		}
	}
	got := defaults()
	if err := read("", nil, []string{"seed=1", "seed=2"}, &got); err == nil || err.Error() != "--set: seed: given twice" {
		t.Errorf("seed twice: %v", err)
	}
}

func TestAllProblemsAtOnce(t *testing.T) {
	got := defaults()
	err := read("f", []byte("sead: 1\nsolver: x\nsearch:\n  visits: 0\n  nose: 1\n"), []string{"batch=1"}, &got)
	want := "f:1: sead: no such setting; did you mean seed?\n" +
		"f:2: solver: x is not allowed (allowed: sgd, adam)\n" +
		"f:4: search.visits: 0 is out of range (allowed: 1 to 1000000)\n" +
		"f:5: search.nose: no such setting; did you mean search.noise?\n" +
		"--set: batch: 1 is not allowed (allowed: 64, 256)"
	if err == nil || err.Error() != want {
		t.Errorf("got\n%v\nwant\n%s", err, want)
	}
}

func TestFilesAndPresets(t *testing.T) {
	t.Chdir(t.TempDir())
	if !slices.Contains(Presets(), "default") {
		t.Fatalf("presets are %v", Presets())
	}
	for _, name := range []string{"default", "default.yaml", "configs/default.yaml", "./configs/default.yaml", `configs\default.yaml`, ""} {
		got := defaults()
		if err := Read(name, []string{"seed=3"}, &got); err != nil || got.Seed != 3 {
			t.Errorf("Read(%q): %v", name, err)
		}
	}
	for name, want := range map[string]string{
		"runs/default.yaml": "settings runs/default.yaml: there is no such file or preset; did you mean the preset default?",
		"no/such/file.yaml": "settings no/such/file.yaml: there is no such file or preset; presets: " + strings.Join(Presets(), ", "),
		"defualt":           "settings defualt: there is no such file or preset; did you mean the preset default?",
		".":                 "settings .: not a file",
	} {
		got := defaults()
		if err := Read(name, nil, &got); err == nil || err.Error() != want {
			t.Errorf("Read(%q):\ngot  %v\nwant %s", name, err, want)
		}
	}
	write := func(name, content string) {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("default/other.yaml", "seed: 8")
	got := defaults()
	if err := Read("default", nil, &got); err != nil || got != defaults() {
		t.Errorf("a directory with the name of the preset was not skipped: %v", err)
	}
	write("configs/default.yaml", "seed: 9")
	if err := Read("configs/default.yaml", nil, &got); err != nil || got.Seed != 9 {
		t.Errorf("the file on disk was not preferred to the preset: seed %d, %v", got.Seed, err)
	}
	write("big.yaml", strings.Repeat("#\n", maxFile))
	if err := Read("big.yaml", nil, &got); err == nil || !strings.Contains(err.Error(), "larger than 1048576 bytes") {
		t.Errorf("a huge file: %v", err)
	}
	for _, into := range []any{nil, 3, settings{}, (*settings)(nil), new(int), new(struct{ A []int })} {
		if err := Read("", nil, into); err == nil {
			t.Errorf("read into a %T", into)
		}
	}
}
