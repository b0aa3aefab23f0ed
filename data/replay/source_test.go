package replay

import (
	"slices"
	"testing"

	"warren/data"
	"warren/data/datatest"
)

// Windows restored from two runs hold the newest games of each, however far each has come, and what is passed
// over in one run is not in the other.
func TestSourcesAreMerged(t *testing.T) {
	c := outcomes()
	c.HeldOutFraction = 0
	var sources []Source
	var positions [][]int // of the games of each run
	for run, shards := range []uint64{3, 8} {
		dir := t.TempDir()
		var counts []int
		for shard := range shards {
			for _, r := range datatest.Records(4*shard+100*uint64(run), 4, 60) {
				info, err := data.WriteShard(dir, shard+1, []*data.Record{r})
				if err != nil {
					t.Fatal(err)
				}
				counts = append(counts, info.Positions)
			}
		}
		x, err := data.Scan(dir, nil)
		if err != nil {
			t.Fatal(err)
		}
		sources, positions = append(sources, Source{Index: x}), append(positions, counts)
	}
	sources[0].Without = []data.Range{{First: 8, Count: 1}, {First: 129, Count: 1}}
	sum := func(counts []int) (n int) {
		for _, v := range counts {
			n += v
		}
		return n
	}
	if got, want := Positions(sources...), sum(positions[0])+sum(positions[1])-positions[0][8]; got != want {
		t.Errorf("%d positions are left, want %d", got, want)
	}
	// The last two shards of each, of four games; one of these is left out.
	want := []uint64{4, 5, 6, 7, 124, 125, 126, 127, 9, 10, 11, 128, 129, 130, 131}
	c.WindowPositions = sum(positions[0][4:]) - positions[0][8] + sum(positions[1][24:])
	p := NewWindows(c)
	if err := p.Restore(sources...); err != nil {
		t.Fatal(err)
	}
	if got := numbers(p.Train); !slices.Equal(got, want) {
		t.Errorf("the window holds the games %v, want %v", got, want)
	}
}

// Of a shard with games to pass over, the positions are estimated by its numbers.
func TestPositionsAreEstimated(t *testing.T) {
	x := &data.Index{Positions: 190, Shards: []data.ShardInfo{
		{Path: "a", First: 10, Last: 13, Positions: 100}, {Path: "b", First: 14, Last: 17, Positions: 40}, {Path: "c", First: 18, Last: 21, Positions: 50},
	}}
	if n := Positions(Source{Index: x}); n != 190 {
		t.Errorf("all games have %d positions, want 190", n)
	}
	without := []data.Range{{First: 16, Count: 3}, {First: 0, Count: 11}, {First: 21, Count: 1}, {First: 30, Count: 5}}
	if n := Positions(Source{Index: x, Without: without}); n != 75+20+25 {
		t.Errorf("%d positions are left, want 120", n)
	}
}
