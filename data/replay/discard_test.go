package replay

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"warren/data"
	"warren/data/datatest"
)

// After some games are discarded, the windows hold what they would hold had these games never come,
// now and after further games, and when they are restored.
func TestDiscardedGamesLeaveTheWindow(t *testing.T) {
	c := outcomes()
	c.WindowPositions, c.HeldOutFraction = 1000, 0.2
	dir := t.TempDir()
	gone := []data.Range{{First: 10, Count: 3}, {First: 2, Count: 2}, {First: 18, Count: 1}, {First: 40, Count: 5}, {First: 18, Count: 1}, {First: 9, Count: 3}, {First: 41, Count: 2}}
	isGone := func(n uint64) bool { return n == 2 || n == 3 || n >= 9 && n < 13 || n == 18 || n >= 40 && n < 45 }
	live, without := NewWindows(c), NewWindows(c)
	check := func(what string, r *Windows) {
		t.Helper()
		if !slices.Equal(numbers(r.Train), numbers(without.Train)) || !slices.Equal(numbers(r.HeldOut), numbers(without.HeldOut)) {
			t.Errorf("%s the windows hold %v and %v, want %v and %v", what, numbers(r.Train), numbers(r.HeldOut), numbers(without.Train), numbers(without.HeldOut))
		}
		if r.Train.Positions() != without.Train.Positions() {
			t.Errorf("%s there are %d positions, want %d", what, r.Train.Positions(), without.Train.Positions())
		}
		if none := (setupSums{}); r.Train.sums != without.Train.sums || r.HeldOut.sums != without.HeldOut.sums || without.Train.sums == none {
			t.Errorf("%s setups are learned from other games", what)
		}
		want := min(slices.Min(numbers(r.Train)), slices.Min(numbers(r.HeldOut)))
		if lowest, ok := r.Lowest(); !ok || lowest != want {
			t.Errorf("%s the lowest number is %d, %v, want %d", what, lowest, ok, want)
		}
	}
	for shard := range uint64(12) {
		records := datatest.Records(4*shard, 4, 60)
		info, err := data.WriteShard(dir, shard+1, records)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range records {
			live.Add(info.Arrival, r)
			if !isGone(r.Game) {
				without.Add(info.Arrival, r)
			}
		}
		index, err := data.Scan(dir, nil)
		if err != nil {
			t.Fatal(err)
		}
		if shard == 5 {
			before := live.Train.Changes()
			if err := live.Discard(gone, index); err != nil {
				t.Fatal(err)
			}
			if live.Train.Changes() <= before {
				t.Error("Discard is no change of the window")
			}
			check("after Discard", live)
		}
		if shard >= 5 {
			restored := NewWindows(c)
			if err := restored.Discard(gone, index); err != nil {
				t.Fatal(err)
			}
			check("restored", restored)
		}
	}
	check("at the end", live)
	if len(numbers(live.Train)) < 10 {
		t.Errorf("the window holds only %v", numbers(live.Train))
	}
}

// With other settings, the windows hold what they would hold with these settings from the beginning, also games that had left.
func TestConfigure(t *testing.T) {
	small := outcomes()
	small.WindowPositions, small.HeldOutFraction = 400, 0.2
	large := small
	large.WindowPositions, large.PolicyWindow, large.PolicyShare, large.QRatio = 1500, 100, 1, 1
	dir := t.TempDir()
	live, want := NewWindows(small), NewWindows(large)
	gone := []data.Range{{First: 30, Count: 2}}
	for shard := range uint64(14) {
		records := datatest.Records(4*shard, 4, 60)
		info, err := data.WriteShard(dir, shard+1, records)
		if err != nil {
			t.Fatal(err)
		}
		index, err := data.Scan(dir, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range records {
			live.Add(info.Arrival, r)
			want.Add(info.Arrival, r)
		}
		switch shard {
		case 10:
			for _, w := range []*Windows{live, want} {
				if err := w.Discard(gone, index); err != nil {
					t.Fatal(err)
				}
			}
		case 13:
			for _, w := range []*Windows{live, want} {
				if err := w.Discard([]data.Range{{First: 40, Count: 1}}, index); err != nil {
					t.Fatal(err)
				}
			}
		case 12: // further games come after it
			before := live.Train.Games()
			if err := live.Configure(large, index); err != nil {
				t.Fatal(err)
			}
			if live.Train.Games() <= before {
				t.Errorf("the window still holds %d games", before)
			}
		}
	}
	for _, n := range slices.Concat(numbers(live.Train), numbers(live.HeldOut)) {
		if n == 30 || n == 31 || n == 40 {
			t.Errorf("game %d was discarded", n)
		}
	}
	if !slices.Equal(numbers(live.Train), numbers(want.Train)) || !slices.Equal(numbers(live.HeldOut), numbers(want.HeldOut)) {
		t.Errorf("the windows hold %v and %v, want %v and %v", numbers(live.Train), numbers(live.HeldOut), numbers(want.Train), numbers(want.HeldOut))
	}
	if none := (setupSums{}); live.Train.sums != want.Train.sums || live.HeldOut.sums != want.HeldOut.sums || want.Train.sums == none {
		t.Error("setups are learned from other games")
	}
	got, same := make([]Sample, 200), make([]Sample, 200)
	if err := errors.Join(live.Train.Draw(rand.New(rand.NewPCG(1, 1)), got), want.Train.Draw(rand.New(rand.NewPCG(1, 1)), same)); err != nil {
		t.Fatal(err)
	}
	for i := range got {
		got[i].Fill()
		same[i].Fill()
		if a, b := &got[i], &same[i]; a.Value != b.Value || a.PolicyWeight != b.PolicyWeight || !slices.Equal(a.Policy, b.Policy) {
			t.Fatalf("sample %d is %v %v %v, want %v %v %v", i, a.Value, a.PolicyWeight, a.Policy, b.Value, b.PolicyWeight, b.Policy)
		}
	}
}
