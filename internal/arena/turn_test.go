package arena

import (
	"errors"
	"testing"

	"warren/game"
)

// Every kind of player plays one turn from a position that has no past.
func TestTurn(t *testing.T) {
	board, side, err := game.ParsePosition("s [rrrrrrrrhdcemcdh................................HDCMECDHRRRRRRRR]")
	if err != nil {
		t.Fatal(err)
	}
	g := game.FromBoard(board, side)
	for _, p := range []Player{Random{}, Greedy{}, AlphaBeta{Nodes: 500}, &Rollouts{Visits: 2}, external("good"), external("steps")} {
		turn, err := Turn(t.Context(), p, g, 1)
		if err != nil || len(turn) == 0 {
			t.Errorf("%s: %v, %v", p.Name(), turn, err)
			continue
		}
		after := g.Clone()
		for i, a := range turn {
			if after.Side() != side {
				t.Errorf("%s: action %d comes after the turn", p.Name(), i+1)
			}
			after.Play(a)
		}
		if after.Side() == side || *g.Board() != board {
			t.Errorf("%s: the turn %v does not end, or changed the game", p.Name(), turn)
		}
	}
	for _, p := range []Player{external("illegal"), external("crash"), cheat{}} {
		if _, err := Turn(t.Context(), p, g, 1); !errors.As(err, new(*Forfeit)) {
			t.Errorf("%s: %v, want a forfeit", p.Name(), err)
		}
	}
}
