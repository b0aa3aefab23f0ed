package replay

import (
	"cmp"
	"math"
	"slices"

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
		without := NewRanges(s.Without)
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
	without        Ranges // numbers of games to pass over
}

// merged returns the shards of all sources, with arrival numbers as [Windows.Restore] describes them.
func merged(sources []Source) (shards []arrived) {
	most := 0
	for _, s := range sources {
		most = max(most, len(s.Index.Shards))
	}
	for _, s := range sources {
		list := slices.Clone(s.Index.Shards)
		if len(sources) > 1 { // all shards of a synchronous run have the same number
			slices.SortFunc(list, func(a, b data.ShardInfo) int {
				return cmp.Or(cmp.Compare(a.Arrival, b.Arrival), cmp.Compare(a.Last, b.Last), cmp.Compare(a.Path, b.Path))
			})
			for i := range list {
				list[i].Arrival = uint64(most - len(list) + i)
			}
		}
		without := NewRanges(s.Without)
		for _, shard := range list {
			shards = append(shards, arrived{shard, without})
		}
	}
	return shards
}
