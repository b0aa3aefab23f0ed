package aei

import (
	"slices"
	"strings"
	"testing"

	"warren/game"
)

// capture is a position in which Gold can push away the rabbit that guards a
// trap, so that the cat on c6 is captured.
func capture(t *testing.T) *game.Game {
	t.Helper()
	rows := []string{"r      r", "        ", "  c     ", " Er     ", "        ", "        ", "        ", "R      R"}
	board, err := game.ParseBoard(strings.Join(rows, ""))
	if err != nil {
		t.Fatal(err)
	}
	return game.FromBoard(board, game.Gold)
}

func TestParseMoveWithoutCaptures(t *testing.T) {
	g := capture(t)
	want, err := game.ParseTurn(g, "rc5s cc6x Eb5e Ra1n")
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"rc5s cc6x Eb5e Ra1n", "rc5s Eb5e Ra1n", " rc5s  Eb5e\tRa1n "} {
		if got, err := ParseMove(g, text); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: %v, %v; want %v", text, got, err, want)
		}
	}
	for text, want := range map[string]string{
		"rc5s Eb5e cc6x":           "write cc6x first",
		"rc5s cc6x":                "unfinished push",
		"rc5s":                     "unfinished push",
		"Ra1s":                     "leaves the board",
		"Ra1nn Rh1nn Eb5n":         "four steps are used up",
		"xa1n":                     "not a piece",
		"":                         "empty",
		"Eb5n Eb6s":                "leaves the board as it was",
		"rc5s Eb5e Ra1n Ra2n Ra3n": "captures",
	} {
		if got, err := ParseMove(g, text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, %v; want %q", text, got, err, want)
		}
	}
	if setup, err := ParseMove(game.New(), goldSetup); err != nil || len(setup) != 16 {
		t.Errorf("a setup: %v, %v", setup, err)
	}
}

func TestFormatLine(t *testing.T) {
	g := capture(t)
	var line []game.Action
	play := g.Clone()
	for _, text := range []string{"rc5s cc6x Eb5e Ra1n", "ra8s", "Ra2n Ra3n"} {
		turn, err := game.ParseTurn(play, text)
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range turn {
			play.Play(a)
		}
		line = append(line, turn...)
	}
	for n, want := range map[int]string{
		0: "", 1: "rc5s cc6x", 2: "rc5s cc6x Eb5e", 4: "rc5s cc6x Eb5e Ra1n", 5: "rc5s cc6x Eb5e Ra1n s ra8s",
		len(line): "rc5s cc6x Eb5e Ra1n s ra8s g Ra2n Ra3n",
	} {
		if got := formatLine(g, line[:n]); got != want {
			t.Errorf("%d actions: %q, want %q", n, got, want)
		}
	}
}
