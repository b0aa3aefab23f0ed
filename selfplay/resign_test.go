package selfplay

import (
	"bytes"
	"math/bits"
	"strings"
	"testing"

	"warren/data"
	"warren/eval"
	"warren/game"
	"warren/watch"
)

// counting is a network that judges positions by the number of pieces.
func counting() *eval.Network {
	return &eval.Network{Hash: "counting", Backend: eval.Func(func(int) (func(*eval.Batch) error, error) {
		return func(b *eval.Batch) error {
			if err := uniformly(b); err != nil {
				return err
			}
			for i := range b.Len() {
				g := b.Position(i)
				own, enemy := g.Board().Color(g.Side()), g.Board().Color(g.Side().Other())
				lead := float32(bits.OnesCount64(own) - bits.OnesCount64(enemy))
				b.SetValue(i, min(max(0.5+0.25*lead, 0.05), 0.95))
			}
			return nil
		}, nil
	})}
}

// TestResignation checks that a side without hope resigns, except in the games that are played on,
// that the rest of the game is the same, and that false resignations are counted.
func TestResignation(t *testing.T) {
	play := func(played float64) (Job, map[uint64]*data.Record, watch.SearchTotals) {
		job := testJob(2, 4)
		job.Config.TurnLimit, job.Config.ResignBelow, job.Config.ResignPlayed = 30, 0.3, played
		job.Config.RandomOpenings, job.Config.RandomTurns = 0.4, 8
		var c collector
		searches := watch.Searches{ResignBelow: 0.3}
		if err := Play(t.Context(), job, Always{counting()}, &c, &searches); err != nil {
			t.Fatal(err)
		}
		return job, c.games, searches.Totals()
	}
	_, whole, measured := play(1)
	job, short, none := play(0)
	hopeless, notLost := 0, 0
	for number, r := range short {
		if err := r.Validate(); err != nil {
			t.Fatal(err)
		}
		if err := job.Check(r); err != nil {
			t.Errorf("game %d: %v", number, err)
		}
		side, turns, ok := whole[number].Resigner(0.3)
		if !ok {
			if !bytes.Equal(encode(t, r), encode(t, whole[number])) {
				t.Errorf("game %d differs, though nobody had to resign", number)
			}
			continue
		}
		hopeless++
		if result := whole[number].Result; !result.Over() || result.Winner == side {
			notLost++
		}
		if want := (game.Result{Winner: side.Other(), Reason: game.Resignation}); r.Result != want || int(r.Turns) != turns {
			t.Errorf("game %d: %v after %d turns, want %v after %d", number, r.Result, r.Turns, want, turns)
		}
		for i, d := range r.Decisions {
			if !same(d, whole[number].Decisions[i]) {
				t.Fatalf("game %d, decision %d: it differs before the resignation", number, i)
			}
		}
		wrong := *r
		wrong.Result.Winner = side
		if err := job.Check(&wrong); err == nil || !strings.Contains(err.Error(), "resign") {
			t.Errorf("a resignation of the wrong side: %v", err)
		}
	}
	if hopeless < 3 {
		t.Errorf("only %d games with a resignation", hopeless)
	}
	if measured.Hopeless != uint64(hopeless) || measured.NotLost != uint64(notLost) || none.Hopeless != 0 {
		t.Errorf("counted %d games played on, %d not lost, and %d where all resign; want %d, %d and 0", measured.Hopeless, measured.NotLost, none.Hopeless, hopeless, notLost)
	}
	if _, some, counted := play(0.5); counted.Hopeless == 0 || counted.Hopeless >= uint64(hopeless) {
		t.Errorf("of %d games, %d are played on, want about half of %d", len(some), counted.Hopeless, hopeless)
	}
}
