package settings

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// TestWriteReadsBack checks that writing and reading back gives an equal struct with
// an equal hash for any settings.
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
	// Runs and game records contain such hashes, so the hash must never change.
	const want = "47347e3a2868477e2c84f85eebd49e6f4befd6316416e7f5fa1e7fa7ecbac5ad"
	if got := mustHash(t, defaults()); got != want {
		t.Errorf("the hash of the test's defaults is %s, want %s", got, want)
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

const described = `setting            type      default  mine  allowed
seed               int       0              0 to 18446744073709551615
    from which all random numbers come
name               text      first
    what the run is called
solver             text      sgd      adam  sgd, adam
    how weights are updated
duration           duration  30m            1s to 720h
    how long to train
resign             bool      true
    whether games may be given up
batch              int       64             64, 256
    positions a step of learning

search
    how a turn is searched
search.cpuct_init  float     1.25           0 to 100
    exploration constant (AlphaZero, Silver et al. 2018: 1.25)
search.visits      int       100      800   1 to 1000000
    simulations a step
search.noise       float     0.25           0 to 1
    share of root noise (AlphaZero, Silver et al. 2018: 0.25)
`

func TestDescribe(t *testing.T) {
	mine := defaults()
	if err := read("", nil, []string{"solver=adam", "search.visits=800"}, &mine); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := Describe(&b, defaults(), &mine, "mine"); err != nil || b.String() != described {
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

type shared struct {
	Label string `yaml:"label" doc:"what it is called"`
}

func TestEmbeddedSettingsStandBesideTheOthers(t *testing.T) {
	v := struct {
		shared
		N int `yaml:"n" min:"1" max:"9" doc:"how many"`
	}{N: 3}
	if err := Read("", []string{"label=x", "n=4"}, &v); err != nil || v.Label != "x" || v.N != 4 {
		t.Errorf("read %+v, %v", v, err)
	}
	list, err := List(v)
	want := []Setting{{"label", "text", "x", "", "what it is called"}, {"n", "int", "4", "1 to 9", "how many"}}
	if err != nil || !slices.Equal(list, want) {
		t.Errorf("listed %+v, %v", list, err)
	}
	if err := Read("", []string{"lable=y"}, &v); err == nil || !strings.Contains(err.Error(), "did you mean label?") {
		t.Errorf("a mistyped key gave %v", err)
	}
}
