package ptx

import "slices"

// copies are a thread's cp.async, in groups. Those of a group land when the thread waits for it.
type copies struct {
	groups [][]move // committed, and not waited for
	open   []move   // not committed
	waited uint32   // groups
}

// move is a copy of a few bytes; what lies behind from is zero.
type move struct{ from, to []byte }

// copy compiles cp.async and its groups.
func (c *compiler) copy() func(*warp, uint32) {
	if len(c.parts) < 3 {
		return c.unknown()
	}
	if c.has("bulk") {
		return c.bulk()
	}
	c.only("async", "cg", "ca", "shared", "shared::cta", "global", "commit_group", "wait_group", "wait_all")
	k := c.body.kernel
	k.copies = true
	each := func(f func(w *warp, lane int)) func(*warp, uint32) {
		return func(w *warp, mask uint32) {
			for ; mask != 0 && w.block.err == nil; mask &= mask - 1 {
				f(w, first(mask))
			}
		}
	}
	switch c.parts[2] {
	case "commit_group":
		return each(func(w *warp, lane int) { w.copies(lane).commit() })
	case "wait_all":
		return each(func(w *warp, lane int) {
			w.copies(lane).commit()
			w.waitCopies(lane, 0)
		})
	case "wait_group":
		if !c.need(1) || c.operands[0].kind != immediate {
			return c.unknown()
		}
		n := int(c.operands[0].value)
		return each(func(w *warp, lane int) { w.waitCopies(lane, n) })
	}
	if n := len(c.operands); n != 3 && n != 4 || c.operands[2].kind != immediate || !c.has("global") {
		return c.unknown()
	}
	size := int(c.operands[2].value)
	if size != 16 && (c.has("cg") || size != 8 && size != 4) {
		c.fail("copies of %d bytes", size)
	}
	to, toOffset := c.address(c.operands[0])
	from, fromOffset := c.address(c.operands[1])
	used := constant(uint64(size))
	if len(c.operands) == 4 {
		used = c.source(c.operands[3], b32)
	}
	return each(func(w *warp, lane int) {
		err := w.copy(lane, to.of(w)[lane]+toOffset, from.of(w)[lane]+fromOffset, size, min(int(used.of(w)[lane]), size))
		if err != nil {
			w.fault(lane, err)
		}
	})
}

func (w *warp) copies(lane int) *copies { return &w.block.copying[32*w.number+lane] }

func (c *copies) commit() {
	c.groups = append(c.groups, c.open)
	c.open = nil
}

// copier is the party that copies for a thread. Its clock is the number of the group, from 1.
func (w *warp) copier(lane int) int { return w.block.parties.copier(32*w.number + lane) }

// copy begins a copy of size bytes, of which those after the first used ones are zeros.
func (w *warp) copy(lane int, to, from uint64, size, used int) error {
	b, c, o := w.block, w.copies(lane), w.thread(lane)
	var source []byte
	if used > 0 {
		var err error
		if source, err = b.memory.load(&o, b.number, from, size, w.line(), false); err != nil {
			return err
		}
	}
	seen := b.scratch
	seen.set(o.view)
	seen.seen[o.party], seen.visible[o.party] = o.clock, o.fenced
	o = observer{party: w.copier(lane), clock: c.waited + uint32(len(c.groups)) + 1, view: seen}
	target, err := b.shared.store(&o, to, size, size, w.line())
	if err != nil {
		return err
	}
	for i := range target {
		target[i] = poison
	}
	c.open = append(c.open, move{source[:used], target})
	return nil
}

// waitCopies waits until at most n of a thread's groups are in flight.
func (w *warp) waitCopies(lane, n int) {
	c := w.copies(lane)
	done := max(0, len(c.groups)-n)
	if done == 0 {
		return
	}
	for _, m := range slices.Concat(c.groups[:done]...) {
		clear(m.to[copy(m.to, m.from):])
	}
	c.groups = c.groups[done:]
	c.waited += uint32(done)
	seen := w.block.parties.view()
	seen.seen[w.copier(lane)] = c.waited
	w.acquire(1<<lane, seen)
}

// fenceCopies makes the copies that a thread has waited for visible to the async proxy.
func (w *warp) fenceCopies(lane int) {
	if c := w.copies(lane); c.waited > 0 {
		landed := w.block.parties.view()
		landed.visible[w.copier(lane)] = c.waited
		w.acquire(1<<lane, landed)
	}
}
