package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestBadInput(t *testing.T) {
	text := filepath.Join(t.TempDir(), "text")
	if err := os.WriteFile(text, []byte("this is no network"), 0o666); err != nil {
		t.Fatal(err)
	}
	good := flags{Player: "random", Opponent: "random", Games: 2, Visits: 4, TurnLimit: 20}
	if err := good.run(t.Context()); err != nil {
		t.Errorf("random against random: %v", err)
	}
	for want, change := range map[string]func(*flags){
		"no such file": func(f *flags) { f.Player = filepath.Join(t.TempDir(), "none.safetensors") },
		text:           func(f *flags) { f.Opponent = text },
		"--visits":     func(f *flags) { f.Visits = 0 },
		"--games":      func(f *flags) { f.Games = -3 },
		"--turn-limit": func(f *flags) { f.TurnLimit = 0 },
	} {
		f := good
		change(&f)
		if err := f.run(t.Context()); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("got %v, want one line with %q", err, want)
		}
	}
}
