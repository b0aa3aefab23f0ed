package source

import (
	"warren/internal/compute/kernels/hopper"
	"warren/internal/compute/ptx/write"
)

// outer is the kernel hopper.Outer that is being written. The first registers are of every thread.
type outer struct {
	*write.Kernel

	x, g, parts, segments write.U64
	count                 write.U32 // segments

	shared, thread, lane, warp write.U32
}

// Outer returns the text of hopper.Outer.
//
// Warps 0 to 11 are the warpgroups that multiply. Warps 12 to 15 fetch boards.
func Outer() string {
	k := &outer{Kernel: write.New(hopper.Outer, hopper.OuterThreads)}
	k.x, k.g, k.parts, k.segments = k.Pointer("x"), k.Pointer("g"), k.Pointer("parts"), k.Pointer("segments")
	firsts := k.Pointer("firsts")
	k.shared, k.thread = k.Memory(), k.Thread()
	k.lane, k.warp = k.And(k.thread, write.Int(warp-1)), k.Right(k.thread, write.Int(5))
	k.prepare()
	firsts = k.Beyond(firsts, k.Group(), 4)
	first := k.Load4(firsts, 0)
	k.count = k.Sub(k.Load4(firsts, 4), first)
	k.Advance(k.segments, first, 4*hopper.SegmentNumbers)
	fetch, end := k.Label("fetch"), k.Label("end")
	k.JumpIf(k.AtLeast(k.warp, write.Int(12)), fetch)
	k.MoreRegisters(152)
	k.clear()
	k.consume()
	k.Jump(end)
	k.Place(fetch)
	k.FewerRegisters(40)
	k.fetch()
	k.Place(end)
	k.Return()
	return k.Text()
}

// prepare makes the barriers.
func (k *outer) prepare() {
	k.Note("barriers")
	k.If(k.Equal(k.thread, write.Int(0)), func() {
		for s := range hopper.Slots {
			k.InitBarrier(k.shared, write.Int(hopper.OuterBarriers+8*s), 1)                 // the warp that fetches
			k.InitBarrier(k.shared, write.Int(hopper.OuterBarriers+8*(hopper.Slots+s)), 12) // those that multiply
		}
	})
	k.Sync(everyone, hopper.OuterThreads)
}

// clear writes zeros around the squares of the inputs in all slots.
func (k *outer) clear() {
	k.Note("zeros")
	const threads = 3 * warpgroup
	zero := k.Copy(write.Int(0))
	for first := write.Int(0); first < hopper.Gradients; first += threads {
		unit := k.Add(k.thread, first)
		place := k.Rem(k.Add(unit, write.Int(hopper.InputOctet-hopper.InputFirst)), write.Int(hopper.InputOctet))
		file := k.Choose(k.Less(place, write.Int(8*hopper.InputRank)), k.Rem(place, write.Int(hopper.InputRank)), write.Int(8))
		edge := k.Equal(k.Choose(k.Less(unit, write.Int(hopper.Gradients)), file, write.Int(0)), write.Int(8))
		at := k.MulAdd(unit, write.Int(hopper.Unit), k.shared)
		for s := range write.Int(hopper.Slots) {
			k.When(edge, func() { k.Write16(at, s*hopper.Slot, []write.U32{zero, zero, zero, zero}) })
		}
	}
	k.FenceAsync()
	k.Sync(own, threads)
}

// slots is a thread's place among the slots.
type slots struct {
	at, parity write.U32
	full       write.U32 // the barrier of the slot; that of an empty one is Slots further
	data       write.U32 // the slot
}

// slots returns the place of slot at, which is data bytes behind that of slot 0.
func (k *outer) slots(at write.U32, parity write.Int, data write.U32) *slots {
	return &slots{
		at: k.Copy(at), parity: k.Copy(parity), full: k.MulAdd(at, write.Int(8), k.Add(k.shared, write.Int(hopper.OuterBarriers))),
		data: k.MulAdd(at, write.Int(hopper.Slot), data),
	}
}

// next goes to the slot that comes a number of slots later.
func (k *outer) next(s *slots, later write.Int) {
	move := func(slots write.Int) {
		k.Increase(s.at, slots)
		k.Increase(s.full, 8*slots)
		k.Increase(s.data, hopper.Slot*slots)
	}
	move(later)
	k.When(k.AtLeast(s.at, write.Int(hopper.Slots)), func() {
		move(-hopper.Slots)
		k.Flip(s.parity, write.Int(1))
	})
}

// empty is the distance from the barrier of a full slot to that of the empty one.
const empty write.Int = 8 * hopper.Slots

// side is what fetch copies of a board: inputs or gradients.
type side struct {
	place, rank, octet write.Int // in a slot
	memory, from       write.U64
	width, bytes, to   write.U32
}

// fetch copies the boards of all segments. Each of four warps takes every fourth board. The copies are what
// the kernel is limited by: it is no slower without the products, more boards on their way do not help, and
// neither do more slots, nor copies that no fence follows.
func (k *outer) fetch() {
	k.Note("boards")
	const warps = 4
	mine, square := k.And(k.lane, write.Int(7)), k.Right(k.lane, write.Int(3))
	board := k.Sub(k.warp, write.Int(12)) // of the segment
	s := k.slots(board, 1, k.shared)
	sides := []*side{
		{place: hopper.InputFirst, rank: hopper.InputRank, octet: hopper.InputOctet, memory: k.x},
		{place: hopper.Gradients, rank: 8, octet: hopper.GradientOctet, memory: k.g},
	}
	for _, f := range sides {
		f.to = k.MulAdd(mine, f.octet*hopper.Unit, k.MulAdd(square, write.Int(hopper.Unit), k.Copy(f.place*hopper.Unit)))
	}
	k.Repeat("segment", k.count, func() {
		for i, f := range sides {
			at := func(n int) write.U32 { return k.Load4(k.segments, write.Int(4*(3*i+n))) }
			f.width = at(1)
			f.from = k.Beyond(f.memory, k.Add(at(0), k.MulAdd(square, f.width, mine)), hopper.Unit)
			f.bytes = k.Choose(k.Less(mine, at(2)), write.Int(hopper.Unit), write.Int(0))
		}
		boards := k.Load4(k.segments, 4*6)
		again, done := k.Label("board"), k.Label("done")
		k.Place(again)
		k.JumpUnless(k.Less(board, boards), done)
		k.Wait(k.Add(s.full, empty), s.parity)
		for _, f := range sides {
			k.copyBoard(f, board, k.Add(s.data, f.to))
		}
		k.EndCopies()
		k.AwaitCopies(0)
		k.FenceAsync()
		k.SyncWarp()
		k.When(k.Equal(k.lane, write.Int(0)), func() { k.ArriveAt(s.full) })
		k.next(s, warps)
		k.Increase(board, write.Int(warps))
		k.Jump(again)
		k.Place(done)
		k.Set(board, k.Sub(board, boards))
		k.Skip(k.segments, 4*hopper.SegmentNumbers)
	})
}

// copyBoard begins to copy a board. A lane copies 8 channels of every fourth square.
func (k *outer) copyBoard(f *side, board, to write.U32) {
	from := k.Beyond(f.from, k.Mul(board, k.Left(f.width, write.Int(6))), hopper.Unit)
	step := k.Left(f.width, write.Int(2))
	for j := range write.Int(16) {
		k.CopySome(to, (j/2*f.rank+j%2*4)*hopper.Unit, from, f.bytes)
		k.Advance(from, step, hopper.Unit)
	}
}
