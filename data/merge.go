package data

import "maps"

// LeaveOut makes [Replay.Restore] pass over the games with these numbers. The ranges may overlap only if
// they are equal.
func (x *Index) LeaveOut(list []Range) {
	x.without = map[string]ranges{}
	for _, s := range x.Shards {
		x.without[s.Path] = newRanges(list)
	}
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
