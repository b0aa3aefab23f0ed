package ptx

import "fmt"

// parties are who accesses memory: the threads of a block, then the warps of its warpgroups as those who
// run wgmma, then slots for bulk copies, then, if the kernel has cp.async, the threads as those who
// copy. Each has a clock. An access is ordered before another one if the party of the second has seen the
// clock of the first: the happens-before order of the PTX memory model, by vector clocks.
type parties struct {
	threads, warpgroups int
	count               int
}

// slots is the number of bulk copies whose order is told apart.
const slots = 64

func newParties(k *kernel, threads int) *parties {
	p := &parties{threads: threads, warpgroups: threads / 128}
	p.count = p.copier(0)
	if k.copies {
		p.count += threads
	}
	return p
}

// multiplier is a warp as one that runs wgmma. The first of four stands for the warpgroup.
func (p *parties) multiplier(warp int) int { return p.threads + warp }

func (p *parties) slot(i int) int        { return p.threads + 4*p.warpgroups + i }
func (p *parties) copier(thread int) int { return p.slot(slots) + thread }

// name names a party.
func (p *parties) name(party int) string {
	switch {
	case party < p.threads:
		return fmt.Sprintf("thread %d", party)
	case party < p.slot(0):
		return fmt.Sprintf("a wgmma of warpgroup %d", (party-p.threads)/4)
	case party < p.copier(0):
		return "a bulk copy"
	}
	return fmt.Sprintf("a cp.async of thread %d", party-p.copier(0))
}

// view is what a party has seen of the others. It does not change once threads share it.
type view struct {
	parties *parties
	// seen has the last clock of each party of which every access is ordered before what follows.
	seen []uint32
	// visible has the same for writes through the generic proxy that a fence.proxy.async of the
	// writing thread made visible to the async proxy.
	visible []uint32
}

func (p *parties) view() *view {
	both := make([]uint32, 2*p.count)
	return &view{p, both[:p.count:p.count], both[p.count:]}
}

func (v *view) clone() *view {
	c := v.parties.view()
	c.set(v)
	return c
}

// set makes v the same as o.
func (v *view) set(o *view) {
	copy(v.seen, o.seen)
	copy(v.visible, o.visible)
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
	for ; mask != 0; mask &= mask - 1 {
		t := 32*w.number + first(mask)
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
	for ; mask != 0; mask &= mask - 1 {
		t := 32*w.number + first(mask)
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
		return o.view.visible[party] >= clock
	}
	if p := o.view.parties; party >= p.threads && party < p.slot(0) && party != o.party {
		// A warp that has waited knows of its own quarter of a wgmma.
		return min(o.view.seen[party], o.view.seen[party+1], o.view.seen[party+2], o.view.seen[party+3]) >= clock
	}
	return party == o.party || o.view.seen[party] >= clock
}

// thread returns a thread as an observer.
func (w *warp) thread(lane int) observer {
	t := 32*w.number + lane
	return observer{party: t, clock: w.block.clocks[t], view: w.block.views[t], fenced: w.block.fenced[t]}
}
