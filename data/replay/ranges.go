package replay

import (
	"cmp"
	"slices"

	"warren/data"
)

// Ranges is a set of game numbers: ranges that neither overlap nor touch, in ascending order.
type Ranges []data.Range

// NewRanges returns the set of the numbers in list.
func NewRanges(list []data.Range) (r Ranges) {
	sorted := slices.SortedFunc(slices.Values(list), func(a, b data.Range) int { return cmp.Compare(a.First, b.First) })
	for _, x := range sorted {
		if len(r) == 0 || x.First > end(r[len(r)-1]) {
			r = append(r, x)
			continue
		}
		last := &r[len(r)-1]
		last.Count = int(max(end(*last), end(x)) - last.First)
	}
	return r
}

// end returns the number after those of a range.
func end(x data.Range) uint64 { return x.First + uint64(x.Count) }

// Has reports whether the number is in the set.
func (r Ranges) Has(number uint64) bool {
	_, found := slices.BinarySearchFunc(r, number, func(x data.Range, n uint64) int {
		switch {
		case end(x) <= n:
			return -1
		case x.First > n:
			return 1
		}
		return 0
	})
	return found
}
