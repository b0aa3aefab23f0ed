package hub

import (
	"cmp"
	"fmt"
	"slices"
)

// growth is the number of lines that the file of leases may have, on top of twice those that it had when it was
// shortened.
const growth = 10_000

// shorten drops from the file what nobody needs, if it has many lines. The leases say who may bring
// which game, and who has played the games that are or will be in the replay window. Lowest returns the lowest number of
// those. The numbers below it are dropped, except for those of games that may still come. After an error no more leases
// can be given.
func (l *leases) shorten(lowest func() uint64) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.lines < l.allowed || l.journal == nil {
		return nil
	}
	// A game is in a lease of the list until it is in the window, so the window must be asked after the lock.
	below := lowest()
	dropped := below
	open := map[uint64]bool{}
	for _, x := range l.list {
		open[x.First] = true
	}
	kept, damaged := slices.Clone(l.lost), 0
	err := readLeases(l.path, func(x *lease) {
		switch {
		case x == nil:
			damaged++
		case x.Account == "" && x.Time.IsZero():
			dropped = max(dropped, x.end())
		case x.Account == "": // it is in l.lost
		case x.end() > below || open[x.First]:
			kept = append(kept, x)
		}
	})
	if err != nil {
		return err
	}
	if damaged > l.damaged { // the next start says so
		l.allowed = l.lines + growth
		return nil
	}
	slices.SortStableFunc(kept, func(a, b *lease) int { return cmp.Compare(a.First, b.First) })
	var lines []any
	if dropped > 0 {
		lines = append(lines, &lease{Count: int(dropped)})
	}
	for _, x := range kept {
		lines = append(lines, x)
	}
	l.journal, err = l.journal.rewrite(l.path, lines)
	if err != nil {
		return fmt.Errorf("shortening the list of leases: %w", err)
	}
	l.lines, l.damaged, l.allowed = len(lines), 0, 2*len(lines)+growth
	return nil
}
