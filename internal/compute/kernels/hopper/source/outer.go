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
// Warps 0 to 11 are the warpgroups that multiply. Warp 12 fetches inputs, and warp 13 gradients.
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
	fetch, gradients, end := k.Label("inputs"), k.Label("gradients"), k.Label("end")
	k.JumpIf(k.AtLeast(k.warp, write.Int(12)), fetch)
	k.MoreRegisters(152)
	k.clear()
	k.consume()
	k.Jump(end)
	k.Place(fetch)
	k.FewerRegisters(40)
	k.JumpIf(k.Equal(k.warp, write.Int(13)), gradients)
	k.JumpIf(k.AtLeast(k.warp, write.Int(14)), end)
	k.fetch(k.x, 0, hopper.InputFirst, hopper.InputRank, hopper.InputOctet)
	k.Jump(end)
	k.Place(gradients)
	k.fetch(k.g, 3, hopper.Gradients, 8, hopper.GradientOctet)
	k.Place(end)
	k.Return()
	return write.Module(write.Hopper, k.Kernel)
}

// prepare makes the barriers.
func (k *outer) prepare() {
	k.Note("barriers")
	k.If(k.Equal(k.thread, write.Int(0)), func() {
		for s := range hopper.Slots {
			k.InitBarrier(k.shared, write.Int(hopper.OuterBarriers+8*s), 2)                 // warps that fetch
			k.InitBarrier(k.shared, write.Int(hopper.OuterBarriers+8*(hopper.Slots+s)), 12) // and that multiply
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
	data       write.U32 // the slot, in the unit that the caller wants
	size       write.Int // of a slot, in that unit
	first      [2]write.U32
}

func (k *outer) slots(parity, size write.Int, data write.U32) *slots {
	s := &slots{at: k.Copy(write.Int(0)), parity: k.Copy(parity), size: size}
	full := k.Add(k.shared, write.Int(hopper.OuterBarriers))
	s.first = [2]write.U32{full, data}
	s.full, s.data = k.Copy(full), k.Copy(data)
	return s
}

// next goes to the next slot.
func (k *outer) next(s *slots) {
	k.Increase(s.at, write.Int(1))
	k.Increase(s.full, write.Int(8))
	k.Increase(s.data, s.size)
	k.When(k.Equal(s.at, write.Int(hopper.Slots)), func() {
		k.Set(s.at, write.Int(0))
		k.Set(s.full, s.first[0])
		k.Set(s.data, s.first[1])
		k.Flip(s.parity, write.Int(1))
	})
}

// empty is the distance from the barrier of a full slot to that of the empty one.
const empty write.Int = 8 * hopper.Slots

// fetch copies the boards of all segments from one memory, which three numbers of a segment describe,
// to a place in the slots. The kernel takes about as long without the products, so its copies are what limits it;
// more boards on their way, more warps that fetch and copies without the fence were no faster.
func (k *outer) fetch(memory write.U64, numbers, place, rank, octet write.Int) {
	k.Note("boards")
	mine, square := k.And(k.lane, write.Int(7)), k.Right(k.lane, write.Int(3))
	to := k.MulAdd(mine, octet*hopper.Unit, k.MulAdd(square, write.Int(hopper.Unit), k.shared))
	s, behind := k.slots(1, hopper.Slot, k.Add(to, place*hopper.Unit)), k.slots(0, 0, k.shared)
	flying := k.Copy(write.Int(0))
	arrive := func() {
		if rank == hopper.InputRank { // which the matrix unit reads
			k.FenceAsync()
		}
		k.SyncWarp()
		k.When(k.Equal(k.lane, write.Int(0)), func() { k.ArriveAt(behind.full) })
		k.next(behind)
		k.Increase(flying, write.Int(-1))
	}
	k.Repeat("segment", k.count, func() {
		at, width, inside := k.Load4(k.segments, 4*numbers), k.Load4(k.segments, 4*numbers+4), k.Load4(k.segments, 4*numbers+8)
		from := k.Beyond(memory, k.Add(at, k.MulAdd(square, width, mine)), hopper.Unit)
		bytes, step := k.Choose(k.Less(mine, inside), write.Int(hopper.Unit), write.Int(0)), k.Left(width, write.Int(2))
		k.Repeat("board", k.Load4(k.segments, 4*6), func() {
			k.Wait(k.Add(s.full, empty), s.parity)
			for j := range write.Int(16) {
				k.CopySome(s.data, (j/2*rank+j%2*4)*hopper.Unit, from, bytes)
				k.Advance(from, step, hopper.Unit)
			}
			k.EndCopies()
			k.next(s)
			k.Increase(flying, write.Int(1))
			k.If(k.AtLeast(flying, write.Int(hopper.Fetched+1)), func() {
				k.AwaitCopies(hopper.Fetched)
				arrive()
			})
		})
		k.Skip(k.segments, 4*hopper.SegmentNumbers)
	})
	k.AwaitCopies(0)
	k.Repeat("last", k.Copy(flying), arrive)
}
