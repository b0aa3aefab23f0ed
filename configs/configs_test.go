package configs

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
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
		{"xylophone: 1", "f:1: xylophone: no such setting; the settings are seed, name, solver, duration, resign, batch, search"},
		{"Seed: 1", "f:1: Seed: no such setting; did you mean seed?"},
		{"derived: 1", "f:1: derived: no such setting; the settings are seed, name, solver, duration, resign, batch, search"},
		{"search.visits: 1", "f:1: search.visits: dotted keys are for the command line; in a file write visits: beneath search:"},
		{"<<: {seed: 1}", "f:1: <<: no such setting; the settings are seed, name, solver, duration, resign, batch, search"},
		{"seed: 1\nname: x\nseed: 2", "f:3: seed: given twice, first on line 1"},
		{"search:\n  visits: 1\nseed: 1\nsearch:\n  noise: 1", "f:4: search: given twice, first on line 1"},
		{"seed:", "f:1: seed: has no value; wants one (int, 0 to 18446744073709551615)"},
		{"name: ~", "f:1: name: has no value; wants one (text)"},
		{"seed: -1", "f:1: seed: -1 is not a whole number of zero or more (allowed: 0 to 18446744073709551615)"},
		{"seed: [1]", "f:1: seed: wants one value (int, 0 to 18446744073709551615), not a list or section"},
		{"search: 3", "f:1: search: is a section; put its settings beneath it, indented"},
		{"search: [3]", "f:1: search: is a section; put its settings beneath it, indented"},
		{"search:\n  visits: 0", "f:2: search.visits: 0 is out of range (allowed: 1 to 1000000)"},
		{"search: {visits: 1e6}", "f:1: search.visits: 1e6 is not a whole number (allowed: 1 to 1000000)"},
		{"search: {visits: 0x10}", "f:1: search.visits: 0x10 is not a whole number (allowed: 1 to 1000000)"},
		{"search: {visits: 1__0}", "f:1: search.visits: 1__0 is not a whole number (allowed: 1 to 1000000)"},
		{"search: {visits: 99999999999999999999}", "f:1: search.visits: 99999999999999999999 is too large in size (allowed: 1 to 1000000)"},
		{`search: {visits: "10"}`, `f:1: search.visits: "10" is text; wants it without quotation marks (int, 1 to 1000000)`},
		{"search: {cpuct_init: 100.5}", "f:1: search.cpuct_init: 100.5 is out of range (allowed: 0 to 100)"},
		{"search: {cpuct_init: .nan}", "f:1: search.cpuct_init: .nan is not a finite number (allowed: 0 to 100)"},
		{"search: {cpuct_init: NaN}", "f:1: search.cpuct_init: NaN is not a finite number (allowed: 0 to 100)"},
		{"search: {cpuct_init: -.inf}", "f:1: search.cpuct_init: -.inf is not a finite number (allowed: 0 to 100)"},
		{"search: {cpuct_init: 1e999}", "f:1: search.cpuct_init: 1e999 is too large in size (allowed: 0 to 100)"},
		{"search: {noise: 1e39}", "f:1: search.noise: 1e39 is too large in size (allowed: 0 to 1)"},
		{"solver: adan", "f:1: solver: adan is none of the allowed values (sgd, adam); did you mean adam?"},
		{"solver: ''", `f:1: solver: "" is none of the allowed values (sgd, adam)`},
		{"batch: 65", "f:1: batch: 65 is none of the allowed values (64, 256); did you mean 64?"},
		{"duration: 30", "f:1: duration: 30 is not a duration with its unit, such as 90s, 30m or 1h30m (allowed: 1s to 720h)"},
		{"duration: 1ms", "f:1: duration: 1ms is out of range (allowed: 1s to 720h)"},
		{"resign: yes", "f:1: resign: yes is not true or false"},
		{"resign: 1", "f:1: resign: 1 is not true or false"},
		{"name: &x a", "f:1: name: anchors and aliases are not for settings; write the value out"},
		{"name: !!binary aGk=", "f:1: name: the tag !!binary is not for settings; write the plain value"},
		{"[a]: 1", "f:1: a key must be a plain name"},
		{"just text", "f:1: settings are lines of the form key: value"},
		{"- 1", "f:1: settings are lines of the form key: value"},
		{"seed: 1\n---\nseed: 2", "f:2: a second document in the file; settings are one"},
		{"seed: 1\n  name: x", "f:2: not YAML: mapping values are not allowed in this context"},
		{"seed: \x01", "f: not YAML: control characters are not allowed"},
	} {
		got := defaults()
		err := read("f", []byte(c.file), nil, &got)
		if err == nil || err.Error() != c.want {
			t.Errorf("%q:\ngot  %v\nwant %s", c.file, err, c.want)
		}
		if got != defaults() {
			t.Errorf("%q: refused, but changed to %+v", c.file, got)
		}
	}
}

func TestOverridesRefuse(t *testing.T) {
	for _, c := range []struct{ set, want string }{
		{"seed", "--set: seed: wants the form key=value"},
		{"search.visit=3", "--set: search.visit: no such setting; did you mean search.visits?"},
		{"search.visits=0", "--set: search.visits: 0 is out of range (allowed: 1 to 1000000)"},
		{"search.visits=", "--set: search.visits: has no value; wants a whole number (allowed: 1 to 1000000)"},
		{"search.visits=many visits", `--set: search.visits: "many visits" is not a whole number (allowed: 1 to 1000000)`},
		{"search=3", "--set: search: is a section; set one of its settings: cpuct_init, visits, noise"},
		{"name=\xff", `--set: name: "\xff" is not valid UTF-8`},
		{"search.cpuct_init=inf", "--set: search.cpuct_init: inf is not a finite number (allowed: 0 to 100)"},
		{"=3", "--set: =3: wants the form key=value"},
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
		"f:2: solver: x is none of the allowed values (sgd, adam)\n" +
		"f:4: search.visits: 0 is out of range (allowed: 1 to 1000000)\n" +
		"f:5: search.nose: no such setting; did you mean search.noise?\n" +
		"--set: batch: 1 is none of the allowed values (64, 256)"
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
		"runs/default.yaml": "settings runs/default.yaml: no such file, and no preset of that name; did you mean the preset default?",
		"no/such/file.yaml": "settings no/such/file.yaml: no such file, and no preset of that name; presets: " + strings.Join(Presets(), ", "),
		"defualt":           "settings defualt: no such file, and no preset of that name; did you mean the preset default?",
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
	write("configs/default.yaml", "seed: 9")
	got := defaults()
	if err := Read("configs/default.yaml", nil, &got); err != nil || got.Seed != 9 {
		t.Errorf("the file on disk was not preferred to the preset: seed %d, %v", got.Seed, err)
	}
	write("big.yaml", strings.Repeat("#\n", maxFile))
	if err := Read("big.yaml", nil, &got); err == nil || !strings.Contains(err.Error(), "not a settings file") {
		t.Errorf("a huge file: %v", err)
	}
	for _, into := range []any{nil, 3, settings{}, (*settings)(nil), new(int), new(struct{ A []int })} {
		if err := Read("", nil, into); err == nil {
			t.Errorf("read into a %T", into)
		}
	}
}

// Writing and reading back gives an equal struct with an equal hash, whatever
// the settings are.
func TestWriteReadsBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := defaults()
		want.Seed = rapid.Uint64().Draw(t, "seed")
		want.Name = rapid.String().Draw(t, "name")
		want.Solver = rapid.SampledFrom([]string{"sgd", "adam"}).Draw(t, "solver")
		want.Duration = time.Duration(rapid.Int64Range(int64(time.Second), int64(720*time.Hour)).Draw(t, "duration"))
		want.Resign = rapid.Bool().Draw(t, "resign")
		want.Search.CpuctInit = rapid.Float64Range(0, 100).Draw(t, "cpuct")
		want.Search.Noise = rapid.Float32Range(0, 1).Draw(t, "noise")
		want.Search.Visits = rapid.IntRange(1, 1_000_000).Draw(t, "visits")
		var file bytes.Buffer
		if err := Write(&file, want); err != nil {
			t.Fatal(err)
		}
		got := settings{ignored: want.ignored, Derived: want.Derived}
		if err := read("f", file.Bytes(), nil, &got); err != nil {
			t.Fatalf("%v\n%s", err, file.String())
		}
		if got != want {
			t.Fatalf("got %+v\nwant %+v\n%s", got, want, file.String())
		}
		if mustHash(t, got) != mustHash(t, &want) {
			t.Fatal("equal settings, unequal hashes")
		}
	})
}

func TestWriteRefuses(t *testing.T) {
	for name, change := range map[string]func(*settings){
		"NaN":           func(s *settings) { s.Search.CpuctInit = math.NaN() },
		"out of range":  func(s *settings) { s.Search.Visits = 0 },
		"invalid UTF-8": func(s *settings) { s.Name = "\xff" },
	} {
		s := defaults()
		change(&s)
		if err := Write(&bytes.Buffer{}, s); err == nil {
			t.Errorf("%s: written", name)
		}
	}
}

func mustHash(t interface{ Fatal(...any) }, v any) string {
	h, err := Hash(v)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func TestHash(t *testing.T) {
	// Archived runs and game records hold such hashes: it must never change.
	const want = "47347e3a2868477e2c84f85eebd49e6f4befd6316416e7f5fa1e7fa7ecbac5ad"
	if got := mustHash(t, defaults()); got != want {
		t.Errorf("the hash of the test's defaults is %s, was %s", got, want)
	}
	seen := map[string]string{mustHash(t, defaults()): "defaults"}
	for _, set := range []string{"seed=1", "name=second", "solver=adam", "duration=31m", "resign=false", "batch=256", "search.noise=0.5", "name=first\nresign=true"} {
		s := defaults()
		if err := read("", nil, []string{set}, &s); err != nil {
			t.Fatal(err)
		}
		h := mustHash(t, s)
		if other, ok := seen[h]; ok {
			t.Errorf("%q has the hash of %q", set, other)
		}
		seen[h] = set
	}
}

const described = `setting            type      default  allowed
seed               int       0        0 to 18446744073709551615
    from which all random numbers come
name               text      first
    what the run is called
solver             text      sgd      sgd, adam
    how weights are updated
duration           duration  30m      1s to 720h
    how long to train
resign             bool      true
    whether games may be given up
batch              int       64       64, 256
    positions a step of learning

search
    how a turn is searched
search.cpuct_init  float     1.25     0 to 100
    exploration constant (AlphaZero, Silver et al. 2018: 1.25)
search.visits      int       100      1 to 1000000
    simulations a step
search.noise       float     0.25     0 to 1
    share of root noise (AlphaZero, Silver et al. 2018: 0.25)
`

func TestDescribe(t *testing.T) {
	var b strings.Builder
	if err := Describe(&b, defaults()); err != nil || b.String() != described {
		t.Errorf("%v\ngot\n%s\nwant\n%s", err, b.String(), described)
	}
}

const written = `# from which all random numbers come [0 to 18446744073709551615]
seed: 0
# what the run is called
name: "first"
# how weights are updated [sgd, adam]
solver: "sgd"
# how long to train [1s to 720h]
duration: 30m
# whether games may be given up
resign: true
# positions a step of learning [64, 256]
batch: 64

# how a turn is searched
search:
  # exploration constant (AlphaZero, Silver et al. 2018: 1.25) [0 to 100]
  cpuct_init: 1.25
  # simulations a step [1 to 1000000]
  visits: 100
  # share of root noise (AlphaZero, Silver et al. 2018: 0.25) [0 to 1]
  noise: 0.25
`

func TestWrite(t *testing.T) {
	var b strings.Builder
	if err := Write(&b, defaults()); err != nil || b.String() != written {
		t.Errorf("%v\ngot\n%s\nwant\n%s", err, b.String(), written)
	}
}

func TestCheck(t *testing.T) {
	if err := Check(defaults()); err != nil {
		t.Errorf("good settings: %v", err)
	}
	for want, v := range map[string]any{
		"n: has no doc tag": struct {
			N bool `yaml:"n"`
		}{},
		"n: a number wants the tags min and max": struct {
			N time.Duration `yaml:"n" min:"0s" doc:"d"`
		}{},
		"n: the default 0 is out of range (allowed: 1 to 2)": struct {
			N int `yaml:"n" min:"1" max:"2" doc:"d"`
		}{},
		`n: the default "" is none of the allowed values (a, b)`: struct {
			N string `yaml:"n" oneof:"a b" doc:"d"`
		}{},
		`N: wants a tag yaml:"name" without options`: struct{ N int }{},
		"min 3 is above max 2": struct {
			N int `yaml:"n" min:"3" max:"2" doc:"d"`
		}{},
		"the tag max: 300 is too large in size": struct {
			N int8 `yaml:"n" min:"3" max:"300" doc:"d"`
		}{},
		"the tag min has no meaning for a string": struct {
			N string `yaml:"n" min:"3" doc:"d"`
		}{},
		"a []int cannot be a setting": struct {
			N []int `yaml:"n" doc:"d"`
		}{},
		"a second setting of the name n": struct {
			N bool `yaml:"n" doc:"d"`
			M bool `yaml:"n" doc:"d"`
		}{},
		`the name "N-x" is not lower case`: struct {
			N bool `yaml:"N-x" doc:"d"`
		}{},
		"settings must be a struct": 3,
	} {
		if err := Check(v); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v:\ngot  %v\nwant %s", v, err, want)
		}
	}
}

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"", "abc", 3}, {"abc", "", 3}, {"kitten", "sitting", 3}, {"inti", "init", 1}, {"a", "a", 0}, {"ab", "ba", 1}, {"seed", "speed", 1}} {
		if got := distance(c.a, c.b); got != c.want {
			t.Errorf("distance(%q, %q) = %d, want %d", c.a, c.b, got, c.want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.StringN(0, 8, -1).Draw(t, "a"), rapid.StringN(0, 8, -1).Draw(t, "b")
		d := distance(a, b)
		if d != distance(b, a) || (d == 0) != (a == b) || d > max(len(a), len(b)) {
			t.Fatalf("distance(%q, %q) = %d, the other way %d", a, b, d, distance(b, a))
		}
	})
}

// Whatever the bytes, Read answers with settings that are allowed or with an
// error whose lines are printable, and never panics.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{"", written, "seed: 1\nsearch: {visits: 3}", "a: &a [*a]", "<<: *x", "? {a: b}\n: c", "!!int seed: 0x1",
		"search:\n- 1", "\x00", "seed: 1\n---\n", "%YAML 1.1\n---\nseed: 1", "name: |\n  a\n b", "seed: !<tag:yaml.org,2002:float> 1"} {
		f.Add([]byte(seed), "search.visits=3")
	}
	f.Add([]byte("name: \"\\ud800\""), "a.b.c")
	f.Fuzz(func(t *testing.T, file []byte, set string) {
		got := defaults()
		if err := read("f", file, []string{set}, &got); err != nil {
			if got != defaults() {
				t.Errorf("refused, but changed to %+v", got)
			}
			for _, line := range strings.Split(err.Error(), "\n") {
				if !strings.HasPrefix(line, "f: ") && !strings.HasPrefix(line, "f:") && !strings.HasPrefix(line, "--set: ") {
					t.Errorf("the line %q of the error has no source", line)
				}
			}
			return
		}
		if err := Check(&got); err != nil {
			t.Error(err)
		}
		if err := Write(&bytes.Buffer{}, &got); err != nil {
			t.Error(err)
		}
	})
}
