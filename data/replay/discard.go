package replay

import (
	"slices"

	"warren/data"
)

// Discard takes the games with these numbers out of the windows and keeps them out. Afterwards the
// windows have the same content as if these games had never arrived. The index must list all games
// that have been added. Discard must not run at the same time as Add.
func (p *Windows) Discard(list []data.Range, x *data.Index) error {
	return p.become(p.config, NewRanges(append(slices.Clone(list), p.discarded...)), x)
}

// Configure gives the windows other settings. Afterwards they have the same content as if they had had these
// settings from the beginning: a larger window has older games again. The index must list all games
// that have been added. Configure must not run at the same time as Add.
func (p *Windows) Configure(c Config, x *data.Index) error { return p.become(c, p.discarded, x) }

// become makes p what windows with the given settings would be.
func (p *Windows) become(c Config, discarded Ranges, x *data.Index) error {
	q := NewWindows(c)
	q.discarded = discarded
	if err := q.Restore(Source{Index: x}); err != nil {
		return err
	}
	p.config, p.discarded = q.config, q.discarded
	p.Train.become(q.Train)
	p.HeldOut.become(q.HeldOut)
	return nil
}

// become replaces the settings and the games of w by those of other, which must not be used any more.
func (w *Window) become(other *Window) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.target, w.policyShare, w.policyPositions, w.bound = other.target, other.policyShare, other.policyPositions, other.bound
	w.games, w.held, w.ends, w.base = other.games, other.held, other.ends, other.base
	w.gone, w.anyGone, w.sums = other.gone, other.anyGone, other.sums
	w.changes++
}
