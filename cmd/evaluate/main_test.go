package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestBadInput(t *testing.T) {
	text := filepath.Join(t.TempDir(), "text")
	if err := os.WriteFile(text, []byte("this is no network"), 0o666); err != nil {
		t.Fatal(err)
	}
	good := flags{Players: []string{"random", "random:label=other"}, Games: 2, Visits: 4, TurnLimit: 20, Checkpoints: 5, Alpha: 0.05, Beta: 0.05}
	if f := good; f.run(t.Context()) != nil {
		t.Error("random against random fails")
	}
	for want, change := range map[string]func(*flags){
		"no such file":      func(f *flags) { f.Players[0] = filepath.Join(t.TempDir(), "none.safetensors") },
		text:                func(f *flags) { f.Players[1] = text },
		"--visits":          func(f *flags) { f.Visits = 0 },
		"--games":           func(f *flags) { f.Games = -3 },
		"--turn-limit":      func(f *flags) { f.TurnLimit = 0 },
		"two players or":    func(f *flags) { f.Players = f.Players[:1] },
		"--opponent-visits": func(f *flags) { f.Players, f.OpponentVisits = append(f.Players, "rollouts"), 4 },
		"did you mean":      func(f *flags) { f.Players[0] = "rolouts" },
		"--sprt":            func(f *flags) { f.Sprt = "7" },
		"elo0 must be less": func(f *flags) { f.Sprt = "7,3" },
		"choose one":        func(f *flags) { f.Sprt, f.Until = "0,50", 10 },
		"between two":       func(f *flags) { f.Sprt, f.Players = "0,50", append(f.Players, "rollouts") },
		"reading openings":  func(f *flags) { f.Openings = text },
		"no networks":       func(f *flags) { f.Run = t.TempDir() },
		"the anchor":        func(f *flags) { f.Anchor, f.Until = "nobody", 10 },
	} {
		f := good
		f.Players = slices.Clone(f.Players)
		change(&f)
		if err := f.run(t.Context()); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("got %v, want one line with %q", err, want)
		}
	}
}
