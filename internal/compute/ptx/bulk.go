package ptx

import (
	"fmt"
	"math"
)

// bulkCopy is a copy from global to shared memory in flight.
type bulkCopy struct {
	from, to []byte
	address  uint64 // of the mbarrier
	slot     int    // party
}

// bulk compiles cp.async.bulk from global to shared memory, whose completion an mbarrier counts.
func (c *compiler) bulk() func(*warp, uint32) {
	c.only("async", "bulk", "shared::cluster", "shared::cta", "global", "mbarrier::complete_tx::bytes")
	if !c.has("bulk") || !c.has("mbarrier::complete_tx::bytes") || !c.has("global") || !c.need(4) {
		return c.unknown()
	}
	to, toOffset := c.address(c.operands[0])
	from, fromOffset := c.address(c.operands[1])
	size := c.source(c.operands[2], b32)
	at, atOffset := c.address(c.operands[3])
	return func(w *warp, mask uint32) {
		for ; mask != 0 && w.block.err == nil; mask &= mask - 1 {
			i := first(mask)
			if err := w.bulk(i, to.of(w)[i]+toOffset, from.of(w)[i]+fromOffset, int(size.of(w)[i]), at.of(w)[i]+atOffset); err != nil {
				w.fault(i, err)
			}
		}
	}
}

// bulk begins a copy.
func (w *warp) bulk(lane int, to, from uint64, size int, address uint64) error {
	b := w.block
	m, err := w.mbarrier(lane, address)
	if err != nil {
		return err
	}
	if !m.known {
		return fmt.Errorf("no fence.mbarrier_init has made the mbarrier at %d known to the async proxy", address)
	}
	if size%16 != 0 || size <= 0 {
		return fmt.Errorf("a bulk copy of %d bytes, which is no multiple of 16", size)
	}
	buffer, offset, err := b.memory.find(from, size, 16)
	if err != nil {
		return err
	}
	source := buffer.data[offset : offset+uint64(size)]
	slot, err := b.freeSlot()
	if err != nil {
		return err
	}
	o := w.thread(lane)
	seen := o.view.clone()
	seen.seen[o.party], seen.visible[o.party] = o.clock, o.fenced
	mover := observer{party: slot, clock: b.clocks[slot], view: seen, async: true}
	target, err := b.shared.store(&mover, to, size, 16, w.line())
	if err != nil {
		return err
	}
	for i := range target {
		target[i] = poison
	}
	b.copies = append(b.copies, &bulkCopy{from: source, to: target, address: address, slot: slot})
	return nil
}

// freeSlot returns a party for a copy.
func (b *block) freeSlot() (int, error) {
	if len(b.copies) == slots {
		return 0, fmt.Errorf("more than %d bulk copies are in flight", slots)
	}
	used := map[int]bool{}
	for _, c := range b.copies {
		used[c.slot] = true
	}
	for {
		b.slot = (b.slot + 1) % slots
		if slot := b.parties.slot(b.slot); !used[slot] {
			return slot, nil
		}
	}
}

// land completes copy i.
func (b *block) land(i int) {
	c := b.copies[i]
	b.copies = append(b.copies[:i], b.copies[i+1:]...)
	copy(c.to, c.from)
	m := b.mbarriers[c.address]
	m.bytes -= len(c.to)
	m.arrived.seen[c.slot] = b.clocks[c.slot]
	b.clocks[c.slot]++
	b.advance(m, c.address)
}

// fence compiles fence.proxy.async and fence.mbarrier_init.
func (c *compiler) fence() func(*warp, uint32) {
	c.only("proxy", "async", "shared::cta", "mbarrier_init", "release", "cluster")
	proxy := c.has("proxy") && c.has("async")
	if proxy == c.has("mbarrier_init") || !c.need(0) {
		return c.unknown()
	}
	return func(w *warp, mask uint32) {
		b := w.block
		for ; mask != 0; mask &= mask - 1 {
			t := 32*w.number + first(mask)
			for _, m := range b.mbarriers {
				m.known = m.known || m.maker == t
			}
			if proxy {
				b.fenced[t] = b.clocks[t]
				b.clocks[t]++
				w.fenceCopies(first(mask))
			}
		}
	}
}

// registerFile is the number of registers of a multiprocessor.
const registerFile = 65536

// setmaxnreg compiles the change of a warp's share of the registers.
func (c *compiler) setmaxnreg() func(*warp, uint32) {
	c.only("inc", "dec", "sync", "aligned")
	if !c.need(1) || c.operands[0].kind != immediate {
		return c.unknown()
	}
	n := int(c.operands[0].value)
	if n < 24 || n > 256 || n%8 != 0 {
		c.fail("%d registers are not a multiple of 8 from 24 to 256", n)
	}
	c.out.together = true
	return func(w *warp, mask uint32) {
		w.share = n
		total := 0
		for _, other := range w.block.warps {
			total += 32 * other.share
		}
		if total > registerFile {
			w.faultf(math.MaxUint32, "the warps have %d registers, of %d", total, registerFile)
		}
	}
}
