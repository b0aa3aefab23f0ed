package replay

import (
	"slices"
	"testing"

	"warren/data/datatest"
	"warren/game"
)

// A window yields the decisions to train on, with the position, the root value and the end of the game
// that the record has for them.
func TestAllPositions(t *testing.T) {
	w := NewWindow(1_000_000, outcomes())
	records := datatest.Records(0, 4, 120)
	for _, i := range []int{2, 0, 3, 1} {
		w.Add(1, records[i])
	}
	type known struct {
		number uint64
		board  game.Board
		side   game.Color
		root   float32
		left   int
		result game.Result
	}
	var want, got []known
	for _, r := range records {
		g := game.New()
		for i := range r.Decisions {
			if d := &r.Decisions[i]; d.Teaches() {
				want = append(want, known{r.Game, *g.Board(), g.Side(), d.Value, len(r.Decisions) - i, r.Result})
			}
			g.Play(r.Decisions[i].Action)
		}
	}
	for p := range w.All() {
		got = append(got, known{p.Number, *p.Game.Board(), p.Game.Side(), p.Root, p.Left, p.Result})
	}
	if len(want) == 0 || !slices.Equal(got, want) {
		t.Errorf("the window yields %d positions, the records have %d; or they differ", len(got), len(want))
	}
	for range w.All() {
		break // must not continue
	}
}
