package replay

import (
	"slices"

	"warren/data"
)

// ranges is a set of game numbers: ranges that do not overlap, in ascending order.
type ranges []data.Range

// newRanges returns the set of the numbers in list. The ranges of list may overlap only if they are
// equal.
func newRanges(list []data.Range) ranges {
	r := slices.Clone(list)
	slices.SortFunc(r, func(a, b data.Range) int {
		if a.First < b.First {
			return -1
		}
		return 1
	})
	return slices.Compact(r)
}

func (r ranges) has(number uint64) bool {
	_, found := slices.BinarySearchFunc(r, number, func(x data.Range, n uint64) int {
		switch {
		case x.First+uint64(x.Count) <= n:
			return -1
		case x.First > n:
			return 1
		}
		return 0
	})
	return found
}
