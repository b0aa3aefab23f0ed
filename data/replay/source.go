package replay

import (
	"math"

	"warren/data"
)

// Source is a directory of shards whose games enter windows.
type Source struct {
	Index   *data.Index
	Without []data.Range // numbers of games to pass over
}

// Positions returns about how many positions [Windows.Restore] finds in the sources. Of a shard with games
// to pass over, it counts as large a part as that of the numbers.
func Positions(sources ...Source) int {
	all, left := 0, 0.0
	for _, s := range sources {
		all += s.Index.Positions
		without := newRanges(s.Without)
		for _, shard := range s.Index.Shards {
			numbers, out := shard.Last+1-shard.First, uint64(0)
			for _, r := range without {
				first, end := max(r.First, shard.First), min(r.First+uint64(r.Count), shard.Last+1)
				out += max(first, end) - first
			}
			left += float64(shard.Positions) * float64(numbers-out) / float64(numbers)
		}
	}
	return min(all, int(math.Round(left)))
}

// arrived is a shard of a source.
type arrived struct {
	data.ShardInfo        // Arrival is that among all sources
	without        ranges // numbers of games to pass over
}

// merged returns the shards of all sources, with arrival numbers as [Windows.Restore] describes them.
func merged(sources []Source) (shards []arrived) {
	newest := uint64(0)
	for _, s := range sources {
		newest = max(newest, s.Index.Arrival)
	}
	for _, s := range sources {
		without := newRanges(s.Without)
		for _, shard := range s.Index.Shards {
			shard.Arrival += newest - s.Index.Arrival
			shards = append(shards, arrived{shard, without})
		}
	}
	return shards
}
