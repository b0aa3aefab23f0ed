package ptx

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
)

// block is a block of threads while it runs.
type block struct {
	kernel  *kernel
	memory  *Memory
	at      [3]int
	number  int32 // in the grid
	threads int
	random  *rand.Rand
	params  []byte
	shared  *shared
	warps   []*warp
	err     error

	parties *parties
	copying []copies // of the threads, if the kernel has such copies
	clocks  []uint32 // of the parties, from 1
	fenced  []uint32 // the clock of each thread at its last fence.proxy.async
	views   []*view  // of the threads
	scratch *view    // of a cp.async while it begins

	barriers   [16]barrier
	mbarriers  map[uint64]*mbarrier
	copies     []*bulkCopy // in flight
	slot       int         // the next one
	late       bool        // copies land only once no warp can run
	warpgroups []warpgroup
}

func newBlock(m *Memory, k *kernel, l *Launch, params []byte, at [3]int) *block {
	number := at[0] + l.Grid[0]*(at[1]+l.Grid[1]*at[2])
	random := rand.New(rand.NewPCG(l.Seed, uint64(number)))
	parties := newParties(k, l.Threads)
	b := &block{
		kernel: k, memory: m, at: at, number: int32(number), threads: l.Threads, params: params, random: random,
		shared:     newShared(align(k.static, max(k.align, 1))+l.Shared, parties, &m.cells),
		parties:    parties,
		copying:    make([]copies, l.Threads),
		clocks:     make([]uint32, parties.count),
		fenced:     make([]uint32, l.Threads),
		views:      make([]*view, l.Threads),
		scratch:    parties.view(),
		mbarriers:  map[uint64]*mbarrier{},
		warpgroups: make([]warpgroup, parties.warpgroups),
		late:       random.IntN(2) == 0,
	}
	for i := range b.warpgroups {
		b.warpgroups[i].multiplications = map[int]*multiplication{}
	}
	unseen := parties.view()
	for i := range b.clocks {
		b.clocks[i] = 1
	}
	for i := range b.views {
		b.views[i] = unseen
	}
	warps := (l.Threads + 31) / 32
	m.registers = slices.Grow(m.registers[:0], warps*k.registers)[:warps*k.registers]
	for n := range warps {
		b.warps = append(b.warps, newWarp(b, n, m.registers[n*k.registers:][:k.registers]))
	}
	return b
}

// run runs the block to its end. Which warp runs next, for how long, and when a bulk copy lands, is
// random. In half of the blocks, copies land only once no warp can run.
func (b *block) run() error {
	var ready []*warp
	for b.err == nil {
		ready = ready[:0]
		for _, w := range b.warps {
			if w.ready() {
				ready = append(ready, w)
			}
		}
		switch {
		case len(b.copies) > 0 && (len(ready) == 0 || !b.late && b.random.IntN(16) == 0):
			b.land(b.next(len(ready) == 0))
		case len(ready) == 0:
			return b.end()
		default:
			ready[b.random.IntN(len(ready))].run(1 + b.random.IntN(400))
		}
	}
	return b.err
}

// next chooses the copy that lands. If no warp can run, it is one for which a warp waits.
func (b *block) next(needed bool) int {
	var waited []int
	for i, c := range b.copies {
		waits := func(g group) bool { return g.wait == wait{phaseDone, c.address} }
		if needed && slices.ContainsFunc(b.warps, func(w *warp) bool { return slices.ContainsFunc(w.groups, waits) }) {
			waited = append(waited, i)
		}
	}
	if len(waited) > 0 {
		return waited[b.random.IntN(len(waited))]
	}
	return b.random.IntN(len(b.copies))
}

// end checks what is left when nothing can run.
func (b *block) end() error {
	for _, w := range b.warps {
		if len(w.groups) > 0 {
			w.current = 0
			w.faultf(w.groups[0].mask, "no thread can run any more: %s", b.waiting())
			return b.err
		}
	}
	for n := range b.barriers {
		if barrier := &b.barriers[n]; barrier.came > 0 {
			w := b.warps[bits.TrailingZeros64(barrier.warps)]
			b.err = &Fault{
				Kernel: b.kernel.name, Line: barrier.line, Opcode: "bar", Block: b.at, Thread: 32 * w.number,
				Text: fmt.Sprintf("the block ends, and only %d of %d threads have come to barrier %d", barrier.came, barrier.expected, n),
			}
		}
	}
	return b.err
}

// waiting describes what the warps wait for.
func (b *block) waiting() string {
	var all []string
	for _, w := range b.warps {
		for _, g := range w.groups {
			all = append(all, fmt.Sprintf("warp %d (lanes %#x) waits at line %d for %v", w.number, g.mask, b.kernel.code[g.pc].line, g.wait.kind))
		}
	}
	return strings.Join(all, "; ")
}
