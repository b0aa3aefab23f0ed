package ptx

import (
	"fmt"
	"math/bits"
)

// mbarrier is a barrier in shared memory: a phase ends once the expected threads have arrived and
// the expected bytes have landed.
type mbarrier struct {
	expected int // arrivals of a phase
	pending  int // arrivals that the phase lacks
	bytes    int // that the phase lacks
	phase    uint32
	arrived  *view // by those that arrived in this phase
	done     *view // by those that arrived in the phases before
	// The thread that made it, when, and whether it has made this known to the async proxy.
	maker int
	made  uint32
	known bool
}

// mbarrier compiles the instructions of mbarriers.
func (c *compiler) mbarrier() func(*warp, uint32) {
	if len(c.parts) < 3 || len(c.operands) < 1 {
		return c.unknown()
	}
	c.only("init", "arrive", "expect_tx", "try_wait", "parity", "shared::cta")
	switch c.parts[1] {
	case "init":
		return c.mbarrierInit()
	case "arrive":
		return c.mbarrierArrive()
	case "try_wait":
		return c.mbarrierWait()
	}
	return c.unknown()
}

// mbarrierEach compiles an instruction that does f for each lane.
func (c *compiler) mbarrierEach(at operand, value source, f func(w *warp, lane int, address, value uint64)) func(*warp, uint32) {
	base, offset := c.address(at)
	return func(w *warp, mask uint32) {
		for ; mask != 0 && w.block.err == nil; mask &= mask - 1 {
			lane := first(mask)
			f(w, lane, base.of(w)[lane]+offset, value.of(w)[lane])
		}
	}
}

func (c *compiler) mbarrierInit() func(*warp, uint32) {
	if !c.need(2) {
		return nil
	}
	return c.mbarrierEach(c.operands[0], c.source(c.operands[1], b32), func(w *warp, lane int, address, n uint64) {
		b, o := w.block, w.thread(lane)
		if _, err := b.shared.store(&o, address, 8, 8, w.line()); err != nil {
			w.fault(lane, err)
			return
		}
		if n == 0 || n >= 1<<20 {
			w.fault(lane, fmt.Errorf("an mbarrier of %d arrivals", n))
			return
		}
		b.shared.reserve(address)
		b.mbarriers[address] = &mbarrier{
			expected: int(n), pending: int(n), maker: o.party, made: o.clock,
			arrived: b.parties.view(), done: b.parties.view(),
		}
	})
}

// reserve marks the eight bytes at an address as those of an mbarrier.
func (s *shared) reserve(address uint64) {
	for i := range uint64(4) {
		s.cells[(address-sharedBase)/2+i].barrier = true
	}
}

// mbarrier returns the mbarrier at an address.
func (w *warp) mbarrier(lane int, address uint64) (*mbarrier, error) {
	m := w.block.mbarriers[address]
	if m == nil {
		return nil, fmt.Errorf("there is no mbarrier at %d", address)
	}
	if o := w.thread(lane); !o.after(m.maker, m.made, true, false) {
		return nil, fmt.Errorf("nothing orders this after the mbarrier.init of %d by thread %d", address, m.maker)
	}
	return m, nil
}

func (c *compiler) mbarrierArrive() func(*warp, uint32) {
	if len(c.operands) < 2 || c.operands[0].kind != sink {
		return c.unknown()
	}
	bytes := constant(0)
	if c.has("expect_tx") {
		if !c.need(3) {
			return nil
		}
		bytes = c.source(c.operands[2], b32)
	} else if !c.need(2) {
		return nil
	}
	return c.mbarrierEach(c.operands[1], bytes, func(w *warp, lane int, address, n uint64) { w.expect(lane, address, int(n)) })
}

// expect adds to the bytes that the phase of an mbarrier lacks, and then arrives.
func (w *warp) expect(lane int, address uint64, bytes int) {
	m, err := w.mbarrier(lane, address)
	switch {
	case err != nil:
		w.fault(lane, err)
		return
	case m.pending == 0:
		w.fault(lane, fmt.Errorf("more than %d threads arrive in phase %d of the mbarrier at %d", m.expected, m.phase, address))
		return
	}
	m.bytes += bytes
	m.pending--
	w.release(1<<lane, m.arrived)
	w.block.advance(m, address)
}

// advance begins the next phase of an mbarrier if the current one is complete.
func (b *block) advance(m *mbarrier, address uint64) {
	if m.pending > 0 || m.bytes != 0 {
		return
	}
	m.done.join(m.arrived)
	m.arrived = b.parties.view()
	m.pending = m.expected
	m.phase++
	for _, w := range b.warps {
		w.wake(phaseDone, address)
	}
}

// mbarrierWait compiles waits for a phase of a parity. A try_wait may give up: the first one of a
// phase that is not complete does so half of the time.
func (c *compiler) mbarrierWait() func(*warp, uint32) {
	if !c.has("parity") || !c.need(3) {
		return c.unknown()
	}
	p := c.predicate(c.operands[0])
	base, offset := c.address(c.operands[1])
	parity := c.source(c.operands[2], b32)
	return func(w *warp, mask uint32) {
		var done uint32
		var missing uint64
		var together uint32 // lanes that acquire the same, and so share a view
		var seen *view
		for m := mask; m != 0; m &= m - 1 {
			lane := first(m)
			address := base.of(w)[lane] + offset
			barrier, err := w.mbarrier(lane, address)
			if err != nil {
				w.fault(lane, err)
				return
			}
			if uint64(barrier.phase&1) == parity.of(w)[lane]&1 {
				missing = address
				continue
			}
			if barrier.done != seen {
				w.acquire(together, seen)
				seen, together = barrier.done, 0
			}
			done |= 1 << lane
			together |= 1 << lane
		}
		w.acquire(together, seen)
		if done != mask && w.block.random.IntN(2) == 0 {
			w.sleep(phaseDone, missing)
			return
		}
		w.decide(p, mask, done)
	}
}

// first returns the first lane of a mask.
func first(mask uint32) int { return bits.TrailingZeros32(mask) & 31 }
