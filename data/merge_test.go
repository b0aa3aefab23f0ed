package data

import (
	"slices"
	"testing"
)

// A window over two runs holds the newest games of each, however far each has come, and what is left out
// of one run stays in of the other.
func TestRunsAreMerged(t *testing.T) {
	c := outcomes()
	c.HeldOutFraction = 0
	var runs []*Index
	var positions [][]int // of the games of each run
	for run, shards := range []uint64{3, 8} {
		dir := t.TempDir()
		var counts []int
		for shard := range shards {
			for _, r := range randomRecords(4*shard+100*uint64(run), 4, 60) {
				info, err := WriteShard(dir, shard+1, []*Record{r})
				if err != nil {
					t.Fatal(err)
				}
				counts = append(counts, info.Positions)
			}
		}
		x, err := Scan(dir, nil)
		if err != nil {
			t.Fatal(err)
		}
		runs, positions = append(runs, x), append(positions, counts)
	}
	runs[0].LeaveOut([]Range{{First: 8, Count: 1}, {First: 129, Count: 1}})
	merged := Merge(runs)
	if merged.Games != 12+32 || len(merged.Shards) != 12+32 || merged.Arrival != 8 {
		t.Errorf("merged they have %d games in %d shards, the last of arrival %d", merged.Games, len(merged.Shards), merged.Arrival)
	}
	sum := func(counts []int) (n int) {
		for _, v := range counts {
			n += v
		}
		return n
	}
	if got, want := merged.Left(), merged.Positions-positions[0][8]; got != want {
		t.Errorf("%d positions are left, want %d", got, want)
	}
	// The last two shards of each, of four games; one of these is left out.
	want := []uint64{4, 5, 6, 7, 124, 125, 126, 127, 9, 10, 11, 128, 129, 130, 131}
	c.WindowPositions = sum(positions[0][4:]) - positions[0][8] + sum(positions[1][24:])
	p := NewReplay(c)
	if err := p.Restore(merged); err != nil {
		t.Fatal(err)
	}
	if got := keys(p.Train); !slices.Equal(got, want) {
		t.Errorf("the window holds the games %v, want %v", got, want)
	}
}

// Of a shard that is left out in part, the positions are estimated by its numbers.
func TestPositionsThatAreLeft(t *testing.T) {
	x := &Index{Positions: 190, Shards: []ShardInfo{
		{Path: "a", First: 10, Last: 13, Positions: 100}, {Path: "b", First: 14, Last: 17, Positions: 40}, {Path: "c", First: 18, Last: 21, Positions: 50},
	}}
	if n := x.Left(); n != 190 {
		t.Errorf("with all games %d positions are left, want 190", n)
	}
	x.LeaveOut([]Range{{First: 16, Count: 3}, {First: 0, Count: 11}, {First: 21, Count: 1}, {First: 30, Count: 5}})
	if n := x.Left(); n != 75+20+25 {
		t.Errorf("%d positions are left, want 120", n)
	}
}
