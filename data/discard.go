package data

import "slices"

// Range is a range of game numbers.
type Range struct {
	First uint64 `json:"first"`
	Count int    `json:"count"`
}

// ranges is a set of game numbers: ranges that do not overlap, in ascending order.
type ranges []Range

// newRanges returns the set of the numbers in list. The ranges of list may overlap only if they are
// equal.
func newRanges(list []Range) ranges {
	r := slices.Clone(list)
	slices.SortFunc(r, func(a, b Range) int {
		if a.First < b.First {
			return -1
		}
		return 1
	})
	return slices.Compact(r)
}

func (r ranges) has(number uint64) bool {
	_, found := slices.BinarySearchFunc(r, number, func(x Range, n uint64) int {
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

// Discard takes the games with these numbers out of the windows and keeps them out. Afterwards the
// windows have the same content as if these games had never arrived. The index must list all games
// that have been added. The ranges may overlap only if they are equal. Discard must not run at the
// same time as Add.
func (p *Replay) Discard(list []Range, x *Index) error {
	q := NewReplay(p.config)
	q.discarded = newRanges(append(slices.Clone(list), p.discarded...))
	if err := q.Restore(x); err != nil {
		return err
	}
	p.discarded = q.discarded
	p.Train.become(q.Train)
	p.HeldOut.become(q.HeldOut)
	return nil
}

// become replaces the games of w by those of other, which must not be used any more.
func (w *Window) become(other *Window) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.games, w.held, w.ends, w.base = other.games, other.held, other.ends, other.base
	w.gone, w.anyGone = other.gone, other.anyGone
}
