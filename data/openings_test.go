package data

import (
	"math/rand/v2"
	"slices"
	"testing"

	"warren/game"
)

// Openings are beginnings of the games asked for, end where a turn starts, and are the same again.
func TestOpenings(t *testing.T) {
	w := NewWindow(1_000_000, outcomes())
	byNumber := map[uint64]*Record{}
	for _, r := range append(randomRecords(0, 4, 200), handicapRecord(4, 200), handicapRecord(5, 200), handicapRecord(8, 200)) {
		w.Add(r.Game, r)
		byNumber[r.Game] = r
	}
	draw := func() []Opening { return w.Openings(rand.New(rand.NewPCG(3, 4)), 50, 20, 2, 7) }
	openings := draw()
	if len(openings) < 40 {
		t.Fatalf("only %d openings of 50", len(openings))
	}
	from := map[uint64]bool{}
	for _, o := range openings {
		g := game.New()
		for _, a := range o.Actions {
			g.PlayHandicap(a, o.Missing)
		}
		if g.InSetup() || g.StepsLeft() != 4 || g.Turns() < 1 || g.Turns() > 20 {
			t.Errorf("an opening ends in turn %d with %d steps left", g.Turns()+1, g.StepsLeft())
		}
		found := false
		for number, r := range byNumber {
			if r.Missing == o.Missing && len(r.Decisions) >= len(o.Actions) && slices.EqualFunc(r.Decisions[:len(o.Actions)], o.Actions, func(d Decision, a game.Action) bool { return d.Action == a }) {
				found, from[number] = true, true
			}
		}
		if !found {
			t.Error("an opening is of no game")
		}
	}
	for number := range from {
		if number < 2 || number >= 7 {
			t.Errorf("an opening is of game %d", number)
		}
	}
	if !from[3] || !from[4] || !from[5] {
		t.Errorf("openings of %d games only", len(from))
	}
	for i, o := range draw() {
		if !slices.Equal(o.Actions, openings[i].Actions) || o.Missing != openings[i].Missing {
			t.Fatal("the same draw gives other openings")
		}
	}
	if none := w.Openings(rand.New(rand.NewPCG(3, 4)), 5, 20, 100, 200); none != nil {
		t.Error("openings of games that there are not")
	}
}
