package match

import (
	"errors"
	"strings"
	"testing"
	"time"
)

func names() *Names {
	return &Names{
		Searcher: Searcher{Visits: 48, Temperature: 1, TemperatureTurns: 4},
		Network: func(path string) (*Checkpoint, error) {
			if path == "none.safetensors" {
				return nil, errors.New("no such file")
			}
			return &Checkpoint{Label: "run/" + path, Hash: "h1", Run: "run", Generation: 7}, nil
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
		"net:weights,temperature=0.5":        "run/weights,temperature=0.5",
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
	if a.Identity == b.Identity || b.Identity != c.Identity || c.Checkpoint.Generation != 7 {
		t.Errorf("identities %q, %q, %q", a.Identity, b.Identity, c.Identity)
	}
}

func TestNamesRefuse(t *testing.T) {
	for text, want := range map[string]string{
		"randm":                         `did you mean "random"?`,
		"stockfish":                     "players: random",
		"":                              "there is no player",
		"random:visits=3":               "no option",
		"rollouts:vists=3":              `did you mean "visits"?`,
		"rollouts:visits":               "lacks its value",
		"rollouts:visits=":              "lacks its value",
		"rollouts:visits=0":             "a whole number from 1 to 1000000",
		"rollouts:visits=many":          "a whole number",
		"rollouts:visits=3,visits=4":    "given twice",
		"alphabeta:nodes=-1":            "a whole number from 1 to",
		"alphabeta:time=3":              "a time from 1ms to 1h0m0s",
		"alphabeta:speed=3":             "options: nodes, depth, time, hash",
		"net":                           "lacks the path",
		"net:,visits=3":                 "lacks the path",
		"none.safetensors":              "no such file",
		"a.safetensors,temperature=hot": "a number from 0 to 10",
		"a.safetensors,temperature=-1":  "a number from 0 to 10",
		"a.safetensors,temperature=NaN": "a number from 0 to 10",
		"aei:":                          "",
	} {
		_, err := names().Parse(text)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: got %v, want one line with %q", text, err, want)
		}
	}
	if _, err := (&Names{}).Parse("a.safetensors"); err == nil {
		t.Error("a network was taken where none can play")
	}
	o, err := parseOptions("p", "time=1s", []string{"time"})
	if err != nil || o.duration("time", time.Millisecond, time.Minute) != time.Second || o.err != nil {
		t.Errorf("1s: %v, %v", err, o.err)
	}
	if o.duration("time", time.Minute, time.Hour); o.err == nil || !strings.Contains(o.err.Error(), "a time from 1m0s to 1h0m0s") {
		t.Errorf("too short a time gave %v", o.err)
	}
}

func TestRolloutsBeatRandom(t *testing.T) {
	c := Config{Games: 4, Seed: 1, TurnLimit: 60}
	tally, games := play(t, c, &Rollouts{Visits: 12}, Random{})
	if tally.Wins < 3 {
		t.Errorf("rollouts against random: %v", tally)
	}
	_, again := play(t, c, &Rollouts{Visits: 12}, Random{})
	for i, g := range games {
		if len(g.Actions) != len(again[i].Actions) {
			t.Errorf("game %d is not the same again", i)
		}
	}
}
