package ptx

// barrier is a named barrier of a block.
type barrier struct {
	expected int    // threads, 0 while nobody has come
	came     int    // threads
	warps    uint64 // that came
	view     *view  // of those that came
	line     int    // of the first of them
}

// barrier compiles bar.sync, bar.arrive and bar.warp.sync.
func (c *compiler) barrier() func(*warp, uint32) {
	c.only("sync", "arrive", "warp")
	if c.has("warp") {
		return c.warpBarrier()
	}
	if len(c.operands) < 1 || len(c.operands) > 2 || c.has("sync") == c.has("arrive") {
		return c.unknown()
	}
	c.out.together = true
	id, count := c.source(c.operands[0], b32), constant(0)
	if len(c.operands) == 2 {
		count = c.source(c.operands[1], b32)
	}
	waits := c.has("sync")
	return func(w *warp, mask uint32) {
		lane := first(mask)
		n, threads := id.of(w)[lane], int(count.of(w)[lane])
		if n >= 16 {
			w.faultf(mask, "there is no barrier %d", n)
			return
		}
		if !uniform(id.of(w), mask) || !uniform(count.of(w), mask) {
			w.faultf(mask, "the threads of a warp name different barriers")
			return
		}
		if threads == 0 {
			threads = (w.block.threads + 31) / 32 * 32
		}
		w.arrive(mask, n, threads, waits)
	}
}

// arrive adds a warp to those that came to barrier n.
func (w *warp) arrive(mask uint32, n uint64, threads int, waits bool) {
	b := &w.block.barriers[n]
	switch {
	case threads%32 != 0:
		w.faultf(mask, "barrier %d with %d threads, which are no whole warps", n, threads)
		return
	case b.expected != 0 && b.expected != threads:
		w.faultf(mask, "barrier %d with %d threads, where another warp has %d", n, threads, b.expected)
		return
	case b.warps>>w.number&1 != 0:
		w.faultf(mask, "the warp comes to barrier %d again before the others have", n)
		return
	}
	if b.expected == 0 {
		*b = barrier{expected: threads, view: w.block.parties.view(), line: w.line()}
	}
	b.came += 32
	b.warps |= 1 << w.number
	w.release(mask, b.view)
	if waits {
		w.sleep(barrierDone, n)
	}
	if b.came < b.expected {
		return
	}
	done := *b
	*b = barrier{}
	for _, other := range w.block.warps {
		for i := range other.groups {
			if g := &other.groups[i]; g.wait == (wait{barrierDone, n}) {
				other.acquire(g.mask, done.view)
				g.wait = wait{}
				if other != w {
					g.pc++ // the warp's own step does this
				}
			}
		}
	}
}

func (c *compiler) warpBarrier() func(*warp, uint32) {
	if !c.need(1) || c.operands[0].kind != immediate {
		return c.unknown()
	}
	c.out.together = true
	return func(w *warp, mask uint32) {
		v := w.block.parties.view()
		w.release(mask, v)
		w.acquire(mask, v)
	}
}

// uniform reports whether a value is the same in all lanes of a mask.
func uniform(values *lanes, mask uint32) bool {
	v := values[first(mask)]
	for ; mask != 0; mask &= mask - 1 {
		if values[first(mask)] != v {
			return false
		}
	}
	return true
}
