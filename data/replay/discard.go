package replay

import (
	"slices"

	"warren/data"
)

// Discard takes the games with these numbers out of the windows and keeps them out. Afterwards the
// windows have the same content as if these games had never arrived. The index must list all games
// that have been added. Discard must not run at the same time as Add.
func (p *Windows) Discard(list []data.Range, x *data.Index) error {
	q := NewWindows(p.config)
	q.discarded = newRanges(append(slices.Clone(list), p.discarded...))
	if err := q.Restore(Source{Index: x}); err != nil {
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
	w.changes++
}
