package data

import (
	"maps"
	"math"
)

// LeaveOut makes [Replay.Restore] pass over the games with these numbers. The ranges may overlap only if
// they are equal.
func (x *Index) LeaveOut(list []Range) {
	x.without = map[string]ranges{}
	for _, s := range x.Shards {
		x.without[s.Path] = newRanges(list)
	}
}

// Left returns about how many positions [Replay.Restore] does not pass over. Of a shard with games to
// leave out, it counts as large a part as that of the numbers.
func (x *Index) Left() int {
	left := 0.0
	for _, s := range x.Shards {
		all, out := s.Last+1-s.First, uint64(0)
		for _, r := range x.without[s.Path] {
			first, end := max(r.First, s.First), min(r.First+uint64(r.Count), s.Last+1)
			out += max(first, end) - first
		}
		left += float64(s.Positions) * float64(all-out) / float64(all)
	}
	return min(x.Positions, int(math.Round(left)))
}

// Merge returns the index of the shards of several runs as if these had been played side by side and had
// ended together: the newest shards of all runs have the same arrival number. So a window that does not hold
// all games holds the newest of each run. Games and Positions are sums.
func Merge(runs []*Index) *Index {
	x := &Index{records: map[Hash]bool{}, without: map[string]ranges{}}
	for _, run := range runs {
		x.Arrival = max(x.Arrival, run.Arrival)
	}
	for _, run := range runs {
		for _, s := range run.Shards {
			s.Arrival += x.Arrival - run.Arrival
			x.Shards = append(x.Shards, s)
		}
		x.Games += run.Games
		x.Positions += run.Positions
		x.Damaged = append(x.Damaged, run.Damaged...)
		x.numbers = append(x.numbers, run.numbers...)
		x.moved = max(x.moved, run.moved)
		maps.Copy(x.records, run.records)
		maps.Copy(x.without, run.without)
	}
	x.sort()
	return x
}
