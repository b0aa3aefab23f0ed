package ptx

// Parties are the threads of a block, then its warpgroups as the ones that run wgmma, then slots for
// bulk copies, then, if the kernel has cp.async, the threads as those who copy. Each has a clock. An access is ordered before another one if the party of the
// second has seen the clock of the first: the happens-before order of the PTX memory model, by
// vector clocks.

// view is what a party has seen of the others. It does not change once threads share it.
type view struct {
	// seen has the last clock of each party of which every access is ordered before what follows.
	seen []uint32
	// visible has the same for writes through the generic proxy that a fence.proxy.async of the
	// writing thread made visible to the async proxy.
	visible []uint32
}

func newView(parties int) *view {
	both := make([]uint32, 2*parties)
	return &view{both[:parties:parties], both[parties:]}
}

func (v *view) clone() *view {
	c := newView(len(v.seen))
	copy(c.seen, v.seen)
	copy(c.visible, v.visible)
	return c
}

// join adds what o has seen.
func (v *view) join(o *view) {
	for i, c := range o.seen {
		v.seen[i] = max(v.seen[i], c)
	}
	for i, c := range o.visible {
		v.visible[i] = max(v.visible[i], c)
	}
}

// meet keeps what o has seen too.
func (v *view) meet(o *view) {
	for i, c := range o.seen {
		v.seen[i] = min(v.seen[i], c)
	}
	for i, c := range o.visible {
		v.visible[i] = min(v.visible[i], c)
	}
}

// release adds to v what the lanes of a warp have seen and done, and begins a new clock for them.
func (w *warp) release(mask uint32, v *view) {
	b := w.block
	var last *view
	for lane := range 32 {
		if mask>>lane&1 == 0 {
			continue
		}
		t := 32*w.number + lane
		if b.views[t] != last {
			last = b.views[t]
			v.join(last)
		}
		v.seen[t] = max(v.seen[t], b.clocks[t])
		v.visible[t] = max(v.visible[t], b.fenced[t])
		b.clocks[t]++
	}
}

// acquire adds v to what the lanes of a warp have seen.
func (w *warp) acquire(mask uint32, v *view) {
	b := w.block
	var last, joined *view
	for lane := range 32 {
		if mask>>lane&1 == 0 {
			continue
		}
		t := 32*w.number + lane
		if b.views[t] != last {
			last = b.views[t]
			joined = last.clone()
			joined.join(v)
		}
		b.views[t] = joined
	}
}

// observer is a party that accesses shared memory, with what it has seen.
type observer struct {
	party int
	clock uint32
	view  *view
	async bool
	// fenced is the clock up to which the party's own generic writes are visible to the async
	// proxy.
	fenced uint32
}

// after reports whether the observer comes after an access of a party through one of the proxies.
func (o *observer) after(party int, clock uint32, write, async bool) bool {
	if write && o.async && !async {
		if party == o.party {
			return o.fenced >= clock
		}
		return o.view.visible[party] >= clock
	}
	return party == o.party || o.view.seen[party] >= clock
}

// thread returns a thread as an observer.
func (w *warp) thread(lane int) observer {
	t := 32*w.number + lane
	return observer{party: t, clock: w.block.clocks[t], view: w.block.views[t], fenced: w.block.fenced[t]}
}
