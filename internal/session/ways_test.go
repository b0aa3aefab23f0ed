package session

import (
	"slices"
	"strings"
	"testing"

	"warren/game"
)

// at returns the game in which Gold is to move on a board of the named pieces.
func at(t *testing.T, pieces string) *game.Game {
	t.Helper()
	board := []byte(strings.Repeat(".", 64))
	for _, p := range strings.Fields(pieces) {
		board[(int('8'-p[2]))*8+int(p[1]-'a')] = p[0]
	}
	b, err := game.ParseBoard(string(board))
	if err != nil {
		t.Fatal(err)
	}
	return game.FromBoard(b, game.Gold)
}

func on(t *testing.T, name string) game.Square {
	t.Helper()
	s, err := game.ParseSquare(name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// The board of both tests: the elephant can push the horse, the dog is frozen, and a
// rabbit is in a corner.
const board = "Ed4 hd5 Dg5 hh5 Ra1 Ra2 Rb1 rh8 rh7"

func TestWays(t *testing.T) {
	for from, want := range map[string]string{
		"d4": "Ed4e,Ed4s,Ed4w,hd5e Ed4n,hd5n Ed4n,hd5w Ed4n",
		"d5": "hd5e,hd5n,hd5w",
		"g5": "", // frozen
		"a1": "", // no free square
		"h8": "", // nothing pushes it
		"e5": "", // empty
	} {
		ways := Ways(at(t, board), on(t, from))
		slices.Sort(ways)
		if got := strings.Join(ways, ","); got != want {
			t.Errorf("%s: %s, want %s", from, got, want)
		}
	}
}

func TestWhyNot(t *testing.T) {
	for move, want := range map[string]string{
		"d4 c4": "",
		"d4 d4": "",
		"e5 e6": "",
		"d4 d5": "D5 is occupied; a push begins with the step of the horse there.",
		"d4 d8": "The elephant on d4 cannot get to d8 by itself in the 4 steps that are left.",
		"g5 g5": "The dog on g5 is frozen: next to it is a stronger enemy, and no friend.",
		"g5 a8": "The dog on g5 is frozen: next to it is a stronger enemy, and no friend.",
		"g5 g6": "The dog on g5 is frozen: next to it is a stronger enemy, and no friend.",
		"a1 a1": "No square next to the rabbit on a1 is free.",
		"a2 a1": "Rabbits do not step backward.",
		"d5 h1": "A piece is pushed or pulled to a free square next to it.",
		"h5 h4": "No gold piece can push or pull the horse on h5 there: a push takes a stronger piece next to it that is not frozen, a pull one that has just left that square.",
		"h5 a6": "No gold piece can push or pull the horse on h5 now: that takes a stronger piece next to it that is not frozen, and a free square.",
		"h8 h8": "No gold piece can push or pull the rabbit on h8 now: that takes a stronger piece next to it that is not frozen, and a free square.",
	} {
		from, to, _ := strings.Cut(move, " ")
		got := WhyNot(at(t, board), on(t, from), on(t, to))
		if got != want {
			t.Errorf("%s: %q, want %q", move, got, want)
		}
	}
	g := at(t, board)
	push, err := game.ParseSteps(g, "hd5n")
	if err != nil {
		t.Fatal(err)
	}
	g.Play(push[0])
	for _, from := range []string{"g5", "h5"} {
		if got := WhyNot(g, on(t, from), on(t, from)); got != "A push is unfinished: a piece stronger than the pushed horse must step to d5." {
			t.Errorf("%s within a push: %q", from, got)
		}
	}
	g = at(t, "Ed4 Ra1 ra8 hc7")
	for _, a := range []string{"Ed4n", "Ed5n", "Ed6n"} {
		step, err := game.ParseSteps(g, a)
		if err != nil {
			t.Fatal(err)
		}
		g.Play(step[0])
	}
	if got, want := WhyNot(g, on(t, "d7"), on(t, "d5")), "The elephant on d7 cannot get to d5 by itself in the step that is left."; got != want {
		t.Errorf("with one step left: %q", got)
	}
	if got, want := WhyNot(g, on(t, "c7"), on(t, "c7")), "This is not a pull, and a push cannot begin with the last step of a turn."; got != want {
		t.Errorf("next to an elephant with one step left: %q, want %q", got, want)
	}
	if got := WhyNot(game.New(), 0, 8); got != "" {
		t.Errorf("in the setup: %q", got)
	}
}
