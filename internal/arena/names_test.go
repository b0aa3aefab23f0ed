package arena

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"warren/internal/eval"
	"warren/internal/settings"
)

func names() *Names {
	search := DefaultSearch()
	search.Visits, search.Temperature, search.TemperatureTurns = 48, 1, 4
	return &Names{
		Search: search,
		Device: "auto",
		Network: func(path, _ string) (*eval.Network, error) {
			if path == "none.safetensors" {
				return nil, errors.New("no such file")
			}
			return &eval.Network{Backend: eval.Uniform{}, Hash: "h1", Origin: eval.Origin{Path: path, Run: "run", Generation: 7}}, nil
		},
	}
}

func TestNames(t *testing.T) {
	for text, want := range map[string]string{
		"random":                             "random",
		"random:label=chance":                "chance",
		"rollouts":                           "rollouts:visits=100",
		"rollouts:visits=7":                  "rollouts:visits=7",
		"greedy":                             "greedy",
		"alphabeta":                          "alphabeta:nodes=20000",
		"alphabeta:depth=6,hash=8":           "alphabeta:depth=6,hash=8",
		"alphabeta:time=1s":                  "alphabeta:time=1s",
		"a.safetensors":                      "run/a.safetensors",
		"net:a.safetensors,visits=9":         "run/a.safetensors,visits=9",
		"a.safetensors,visits=9,label=small": "small",
		"warren":                             "run/warren",
		"warren:visits=9,temperature=0.5":    "run/warren:visits=9,temperature=0.5",
		"warren:device=cpu":                  "run/warren:device=cpu",
		"net:weights,temperature=0.5":        "run/weights,temperature=0.5",
		"aei:./bot a.safetensors":            "bot",
		"a.safetensors,search.fpu_reduction=0.3,temperature-turns=2,visits=9": "run/a.safetensors,visits=9,temperature-turns=2,search.fpu_reduction=0.3",
	} {
		e, err := names().Parse(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if e.Name() != want || e.Identity == "" {
			t.Errorf("%s is called %q, want %q; identity %q", text, e.Name(), want, e.Identity)
		}
	}
	a, _ := names().Parse("a.safetensors")
	b, _ := names().Parse("net:a.safetensors,visits=49")
	c, _ := names().Parse("b.safetensors,visits=49,temperature-turns=4")
	if a.Identity == b.Identity || b.Identity != c.Identity || c.Network.Origin.Generation != 7 {
		t.Errorf("identities %q, %q, %q", a.Identity, b.Identity, c.Identity)
	}
}

func TestSearchSettings(t *testing.T) {
	n := names()
	if err := ReadSearch([]string{"search.cpuct_init=0.25", "search.fpu_reduction=0.3"}, &n.Search.Search); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for text, want := range map[string]float64{"a.safetensors": 0.25, "a.safetensors,search.cpuct_init=0.5": 0.5} {
		e, err := n.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		search := e.Player.(*Searcher).Search
		if search.CPUCTInit != want || search.FPUReduction != 0.3 || search.NoiseFraction != 0 {
			t.Errorf("%s searches with %+v", text, search)
		}
		seen[e.Identity] = true
	}
	if e, _ := names().Parse("a.safetensors"); seen[e.Identity] || len(seen) != 2 {
		t.Errorf("identities %v", seen)
	}
	before := n.Search
	err := ReadSearch([]string{"search.cpuct_init=0.5", "search.rule=some"}, &n.Search.Search)
	if err == nil || !strings.Contains(err.Error(), "search.rule: some is not allowed") || n.Search != before {
		t.Errorf("%v; searches with %+v", err, n.Search)
	}
}

// Every path can be named: as it is if it ends in .safetensors, and in quotes.
func TestPaths(t *testing.T) {
	n, opened := names(), ""
	open := n.Network
	n.Network = func(path, device string) (*eval.Network, error) {
		opened = path
		return open(path, device)
	}
	for text, want := range map[string]string{
		"runs/a,b/x.safetensors,visits=9":                    "runs/a,b/x.safetensors",
		"a.safetensors.old/b=c: d[1].safetensors":            "a.safetensors.old/b=c: d[1].safetensors",
		`C:\Users\a, b\x.safetensors`:                        `C:\Users\a, b\x.safetensors`,
		"it's.safetensors,visits=9":                          "it's.safetensors",
		"a.safetensors,label=b.safetensors":                  "a.safetensors",
		`"random:1.safetensors",visits=9`:                    "random:1.safetensors",
		`'"quoted".safetensors'`:                             `"quoted".safetensors`,
		`net:"weights, the second",visits=9`:                 "weights, the second",
		`net:'a,b'".safetensors",label="x, y",visits=9`:      "a,b.safetensors",
		NetworkName("a b,c=d:e;\"f'g[h]\xff.safetensors"):    "a b,c=d:e;\"f'g[h]\xff.safetensors",
		NetworkName("net") + ",visits=9,temperature=\"0.5\"": "net",
	} {
		opened = ""
		e, err := n.Parse(text)
		if err != nil || opened != want {
			t.Errorf("%s opened %q, want %q: %v", text, opened, want, err)
			continue
		}
		if p := e.Player.(*Searcher); strings.Contains(text, "visits=9") != (p.Visits == 9) {
			t.Errorf("%s searches with %d visits", text, p.Visits)
		}
	}
	for text, want := range map[string]string{
		`greedy:label="a, b"`:                  "a, b",
		`a.safetensors,label='it''s = "x"; y'`: `its = "x"; y`,
		`aei:"./my bot" -x;label="x; y"`:       "x; y",
		`alphabeta:nodes="2000",label=" a b "`: " a b ",
	} {
		if e, err := n.Parse(text); err != nil || e.Name() != want {
			t.Errorf("%s: %v, want the name %q", text, err, want)
		}
	}
	for _, text := range []string{`"a.safetensors`, `net:"a.safetensors`, `greedy:label="`, `greedy:label=""`, `net:""`, `aei:''`} {
		if e, err := n.Parse(text); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s is the player %v, %v", text, e, err)
		}
	}
}

// TestRunIsAPlayer: the directory of a run names its newest network, with options or in quotes.
func TestRunIsAPlayer(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, dir := range []string{"first", "a, b"} {
		if err := os.Mkdir(dir, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	for text, want := range map[string]string{"first": "first", "first,visits=9": "first", `"a, b",visits=9`: "a, b", "net:first": "first"} {
		e, err := names().Parse(text)
		if err != nil || e.Network.Origin.Path != want {
			t.Errorf("%s: %v, want the network of %q", text, err, want)
		}
	}
	for text, want := range map[string]string{"second": "no player", "first:visits=9": `did you mean "first,visits=9"?`} {
		if e, err := names().Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s is the player %v, %v, want %q", text, e, err, want)
		}
	}
}

// A setting at its default leaves no trace in the identity of a player, so tournaments
// that were begun before there was such a setting resume.
func TestIdentity(t *testing.T) {
	type before struct {
		Visits int     `yaml:"visits"`
		FPU    float64 `yaml:"fpu"`
	}
	type after struct {
		New    bool    `yaml:"new"`
		Visits int     `yaml:"visits"`
		Newer  float64 `yaml:"a_newer"`
		FPU    float64 `yaml:"fpu"`
	}
	was, is := changed(before{64, 0.25}, before{}), changed(after{Visits: 64, FPU: 0.25}, after{})
	if want := ",fpu=0.25,visits=64"; was != want || is != want {
		t.Errorf("%q, with two more settings %q, want %q", was, is, want)
	}
	if got, want := changed(after{Newer: 1, Visits: 64}, after{}), ",a_newer=1,visits=64"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	n := names()
	n.Search.Temperature, n.Search.Setups = 0, "search"
	for text, want := range map[string]string{
		"a.safetensors,visits=9":                                 ",search.lcb=5,visits=9",
		"a.safetensors,visits=9,threads=3":                       ",search.lcb=5,visits=9", // without a time nobody asks for threads
		"a.safetensors,visits=9,time=2s":                         ",search.lcb=5,threads=1,time=2s,visits=9",
		"a.safetensors,visits=9,setups=whole":                    ",search.lcb=5,setups=whole,visits=9", // the default since
		"a.safetensors,visits=9,tactics=true":                    ",search.lcb=5,tactics=true,visits=9",
		"a.safetensors,visits=9,tactics=true,time=2s":            ",search.lcb=5,threads=1,time=2s,visits=9", // which always tests
		"a.safetensors,visits=9,search.fpu_reduction=0.3":        ",search.fpu_reduction=0.3,search.lcb=5,visits=9",
		"a.safetensors,visits=9,search.rule=puct,search.lcb=0":   ",visits=9", // the default before there was another
		"a.safetensors,visits=9,temperature-turns=3,threads=0":   ",search.lcb=5,temperature_turns=3,visits=9",
		"a.safetensors,visits=9,temperature-turns=0,label=other": ",search.lcb=5,visits=9",
	} {
		n.Search.TemperatureTurns = 0
		e, err := n.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.TrimPrefix(e.Identity, "net:"+e.Network.Hash); got != want {
			t.Errorf("%s is %q, want %q", text, got, want)
		}
	}
}

// Noise is off in a match unless it is set.
func TestNoiseIsOffUnlessSet(t *testing.T) {
	moves := func(fraction float64) string {
		a := searcher("a", 30)
		a.Temperature = 0
		a.Search.NoiseFraction, a.Search.NoiseAlpha = fraction, 1
		var all string
		for seed := range uint64(2) {
			_, games := play(t, Rules{Seed: seed, TurnLimit: 8}, 2, a, a)
			all += fmt.Sprint(games[0].Actions)
		}
		return all
	}
	if half := moves(0); half[:len(half)/2] != half[len(half)/2:] {
		t.Error("without noise another seed gave another game")
	}
	if half := moves(0.9); half[:len(half)/2] == half[len(half)/2:] {
		t.Error("with noise another seed gave the same game")
	}
}

// Every kind is complete: its options follow the rules for settings, its example is
// a player, and the help describes it.
func TestKinds(t *testing.T) {
	help := Help()
	unwrapped := strings.Join(strings.Fields(help), " ")
	for _, k := range kinds {
		if !strings.Contains(unwrapped, k.usage) || !strings.Contains(unwrapped, k.help) {
			t.Errorf("the help lacks %s:\n%s", k.name, help)
		}
		if _, err := names().Parse(k.usage); err != nil {
			t.Errorf("%s: %v", k.usage, err)
		}
		if k.options == nil {
			continue
		}
		if err := settings.Check(k.options(names())); err != nil {
			t.Errorf("%s: %v", k.name, err)
		}
		e, err := names().Parse(k.usage + string(",:"[strings.Count("randomgreedy", k.name)]) + "label=me")
		if err != nil || e.Name() != "me" {
			t.Errorf("a labelled %s: %v", k.name, err)
		}
	}
	if lines := strings.Split(help, "\n"); len(lines) < 12 || strings.Contains(help, "\t") || slices.ContainsFunc(lines, func(l string) bool { return len(l) > 110 }) {
		t.Errorf("the help:\n%s", help)
	}
}

func TestNamesRefuse(t *testing.T) {
	for text, want := range map[string]string{
		"randm":                                `did you mean "random"?`,
		"warren,level=3":                       `did you mean "warren:level=3"?`,
		"random,greedy":                        `no player "random,greedy" (players: random`,
		"random:label=x,":                      "has an empty option: leave out the comma",
		"stockfish":                            "players: random",
		"":                                     "there is no player",
		"random:visits=3":                      "the settings are label",
		"rollouts:vists=3":                     "did you mean visits?",
		"rollouts:visits":                      "has no value",
		"rollouts:visits=":                     "has no value",
		"rollouts:visits=0":                    "out of range (allowed: 1 to 1000000)",
		"rollouts:visits=many":                 "a whole number",
		"rollouts:visits=3,visits=4":           "given twice",
		"alphabeta:nodes=-1":                   "out of range (allowed: 0 to 1000000000)",
		"alphabeta:time=3":                     "is not a duration with a unit",
		"alphabeta:speed=3":                    "the settings are nodes, depth, time, hash, label",
		"net":                                  "lacks its PATH",
		"net:,visits=3":                        "lacks its PATH",
		"none.safetensors":                     "no such file",
		"waren":                                `did you mean "warren"?`,
		"warren:vists=3":                       "the player warren: vists: no such setting; did you mean visits?",
		"a.safetensors,temperature=hot":        "(allowed: 0 to 10)",
		"a.safetensors,temperature=-1":         "(allowed: 0 to 10)",
		"a.safetensors,temperature=NaN":        "(allowed: 0 to 10)",
		"alphabeta:time=2h":                    "(allowed: 0s to 1h)",
		"a.safetensors,search.cpuct_intit=1":   "did you mean search.cpuct_init?",
		"a.safetensors,search.cpuct_init=1000": "search.cpuct_init: 1000 is out of range (allowed: 0 to 100)",
		"a.safetensors,search.gumbel=1":        "is a section; set one of its settings: actions, c_visit, c_scale",
		"a.safetensors,search.rule=gumbl":      "did you mean gumbel?",
		"a.safetensors,setups=search":          "setups: search was removed, and commit d3e7a55 still had it (allowed: whole, usual)",
		"a.safetensors,setups=sampled":         "setups: sampled is not allowed (allowed: whole, usual)",
		"a.safetensors,search.fpu.value=0.1":   "search.fpu.value: this setting is now search.fpu_reduction",
		"rollouts:search.cpuct_init=1":         "no such setting",
		"a.safetensors,search.draw_penalty=0.1,search.lcb=0": "has no head stopped",
		"a.safetensors,search.draw_penalty=0.1":              "search.draw_penalty is 0.1, but cannot be combined with",
		"aei:":                                               "",
	} {
		_, err := names().Parse(text)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: got %v, want one line with %q", text, err, want)
		}
	}
	for _, text := range []string{"a.safetensors", "warren"} {
		if _, err := (&Names{}).Parse(text); err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("%s where no network can play: %v", text, err)
		}
	}
}

func TestRolloutsBeatRandom(t *testing.T) {
	r := Rules{Seed: 1, TurnLimit: 60}
	tally, games := play(t, r, 4, &Rollouts{Visits: 12}, Random{})
	if tally.Wins < 3 {
		t.Errorf("rollouts against random: %v", tally)
	}
	_, again := play(t, r, 4, &Rollouts{Visits: 12}, Random{})
	for i, g := range games {
		if !slices.Equal(g.Actions, again[i].Actions) {
			t.Errorf("game %d is not the same again", i)
		}
	}
}
