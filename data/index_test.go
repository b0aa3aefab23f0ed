package data

import "testing"

// Games that have been moved out of the directory count once, also when some of them are in it again. New shards
// arrive after theirs.
func TestMovedGamesCountOnce(t *testing.T) {
	old := [][]*Record{randomRecords(0, 4, 60), randomRecords(4, 6, 50)}
	away, moved := t.TempDir(), Totals{}
	for i, records := range old {
		info := arrive(t, away, uint64(i+1), records)
		moved.Games += info.Games
		moved.Positions += info.Positions
		moved.Next, moved.Arrival = info.Last+1, info.Arrival
	}
	dir := t.TempDir()
	later := arrive(t, dir, 1, randomRecords(10, 3, 60))
	want := Totals{Games: 13, Positions: moved.Positions + later.Positions, Next: 13, Arrival: 2}
	for back := range len(old) + 1 {
		if back > 0 {
			arrive(t, dir, uint64(back), old[back-1])
		}
		x, err := Scan(dir, nil)
		if err != nil {
			t.Fatal(err)
		}
		missing := x.Missing(moved)
		if all := back == len(old); all != (missing.Games == 0) || all != (missing.Positions == 0) || back == 0 && missing != moved {
			t.Errorf("with %d shards back %+v are missing of %+v", back, missing, moved)
		}
		x.Add(moved)
		if got := x.Totals(); got != want || !x.Has(0) || !x.Has(9) || x.Has(13) {
			t.Errorf("with %d shards back there are %+v, want %+v", back, got, want)
		}
	}
}

// The first game above the numbers of those that have been moved is none of them.
func TestGameAfterThoseMoved(t *testing.T) {
	dir := t.TempDir()
	arrive(t, dir, 1, randomRecords(10, 1, 20))
	x, err := Scan(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	moved := Totals{Games: 10, Positions: 100, Next: 10}
	if missing := x.Missing(moved); missing != moved {
		t.Errorf("%+v are missing, want %+v", missing, moved)
	}
	x.Add(Totals{Games: 20, Next: 20})
	if x.Next() != 20 {
		t.Errorf("the next number is %d, want 20", x.Next())
	}
}

func TestSetAsideWithoutALog(t *testing.T) {
	path := arrive(t, t.TempDir(), 1, randomRecords(0, 1, 10)).Path
	if aside, err := SetAside(path, ErrDamaged, nil); err != nil || aside != path+damagedSuffix {
		t.Errorf("%q, %v", aside, err)
	}
}
