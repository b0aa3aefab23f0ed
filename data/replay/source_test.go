package replay

import (
	"fmt"
	"slices"
	"testing"

	"warren/data"
	"warren/data/datatest"
)

// Windows restored from two runs hold the newest games of each, however far each has come, and what is passed
// over in one run is not in the other. It does not matter whether the shards of a run have arrived one after another,
// or all have the same arrival number.
func TestSourcesAreMerged(t *testing.T) {
	for _, c := range []struct {
		name    string
		arrival [2]uint64 // from one shard of a run to the next
	}{
		{"asynchronous", [2]uint64{1, 1}}, {"synchronous", [2]uint64{0, 0}}, {"one of each", [2]uint64{0, 1}},
	} {
		t.Run(c.name, func(t *testing.T) { testMerged(t, c.arrival) })
	}
}

// The shards of each source stay in the order of their arrival, even where their numbers fall.
func TestMergedByArrival(t *testing.T) {
	falling := Source{Index: &data.Index{Shards: []data.ShardInfo{{Path: "a", Last: 9, Arrival: 7}, {Path: "b", Last: 19, Arrival: 5}}}}
	var got []string
	for _, s := range merged([]Source{falling, falling}) {
		got = append(got, fmt.Sprint(s.Path, s.Arrival))
	}
	if want := []string{"b0", "a1", "b0", "a1"}; !slices.Equal(got, want) {
		t.Errorf("the shards arrive as %v, want %v", got, want)
	}
}

func testMerged(t *testing.T, arrival [2]uint64) {
	c := outcomes()
	c.HeldOutFraction = 0
	var sources []Source
	var positions [][]int // of the games of each run, each in a shard of its own
	for run, games := range []uint64{12, 32} {
		dir := t.TempDir()
		var counts []int
		for i, r := range datatest.Records(100*uint64(run), games, 60) {
			info, err := data.WriteShard(dir, arrival[run]*uint64(i), []*data.Record{r})
			if err != nil {
				t.Fatal(err)
			}
			counts = append(counts, info.Positions)
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
	// The last eight games of each, one of which is left out.
	want := []uint64{4, 124, 5, 125, 6, 126, 7, 127, 128, 9, 129, 10, 130, 11, 131}
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
