package game

import (
	"context"
	"errors"
	"testing"
)

// naivePerft is Perft with the naive program.
func naivePerft(m *mailbox, depth int) (leaves uint64) {
	if depth == 0 {
		return 1
	}
	for _, a := range m.legal() {
		next := *m
		key := ""
		if next.play(a); next.side != m.side {
			key = next.key(next.side)
		}
		leaves += naivePerft(&next, depth-1)
		if key != "" {
			m.seen[key]-- // the copies share the map
		}
	}
	return leaves
}

func TestPerftAgreesWithNaiveProgram(t *testing.T) {
	for _, r := range references(t)[:40] {
		b := *r.game.Board()
		for depth := range 3 {
			got, err := Perft(context.Background(), r.game, depth)
			if want := naivePerft(newMailbox(&b, r.game.Side()), depth); got != want || err != nil {
				t.Errorf("turns.tsv:%d: perft to depth %d is %d, %v; want %d", r.line, depth, got, err, want)
			}
		}
	}
	// Across the ends of turns, on a board with few pieces.
	b := rows(t, "........ ......r. ........ ........ ...c.... ..RE.... ........ ........")
	g := FromBoard(b, Gold)
	for depth := range 7 {
		got, err := Perft(context.Background(), g, depth)
		if want := naivePerft(newMailbox(&b, Gold), depth); got != want || err != nil {
			t.Errorf("perft to depth %d is %d, %v; want %d", depth, got, err, want)
		}
	}
	if *g.Board() != b || g.StepsLeft() != 4 {
		t.Error("Perft changed the game")
	}
}

// TestPerftOfSetup compares the setup with counts made by hand: each placement
// chooses one of six kinds, as long as there are pieces of it left.
func TestPerftOfSetup(t *testing.T) {
	for depth, want := range []uint64{1, 6, 34, 181} {
		if got, err := Perft(context.Background(), New(), depth); got != want || err != nil {
			t.Errorf("perft of the setup to depth %d is %d, %v; want %d", depth, got, err, want)
		}
	}
}

func TestPerftStops(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Perft(ctx, New(), 9); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
}
