// Package source writes the kernels of package hopper.
package source

import (
	"warren/internal/compute/kernels/hopper"
	"warren/internal/compute/ptx/write"
)

// Barriers of the group of threads. Those of warpgroup w have the number w more.
const (
	everyone write.Int = 0
	own      write.Int = 1  // the warpgroup alone
	ready    write.Int = 3  // its half of buffer 0 is written; two more: of buffer 1
	pooled   write.Int = 7  // the means and maxima are written; of set s one more
	biased   write.Int = 9  // the biases of pass 0 are written; of pass 1, or of set 1, one more
	drained  write.Int = 11 // both warpgroups have read the buffer that they share
)

// Sizes in threads.
const (
	warp      = 32
	warpgroup = 128
	consumers = 2 * warpgroup
)

// Registers of a thread, of 65,536 for the group.
const (
	many = 224
	few  = 56
)

// kernel is a tower that is being written. The first registers are of every thread.
type kernel struct {
	*write.Kernel
	hopper.Tower

	x, y, weights, biases, products write.U64
	scratch                         write.U64 // y, or of a network its own
	scales                          write.U64 // in bytes
	boards, blocks, every, width    write.U32

	shared, thread, lane write.U32
	part                 write.U32 // the warpgroup that the thread computes or works for, 0 or 1
}

// Tower returns the text of a tower.
//
// Warps 0 to 3 and 4 to 7 are warpgroups that multiply. Warps 8 and 9 fetch weights for one of
// them each. Warps 10 and 11 prepare the biases of the second convolutions.
func Tower(t hopper.Tower) string {
	k := &kernel{Kernel: write.New(t.Kernel, hopper.Threads), Tower: t}
	k.parameters()
	k.shared, k.thread = k.Memory(), k.Thread()
	k.lane = k.And(k.thread, write.Int(warp-1))
	k.prepare()
	others, end := k.Label("others"), k.Label("end")
	k.JumpIf(k.AtLeast(k.thread, write.Int(consumers)), others)
	k.MoreRegisters(many)
	k.consume()
	k.Jump(end)
	k.Place(others)
	k.FewerRegisters(few)
	k.part = k.And(k.Right(k.thread, write.Int(5)), write.Int(1))
	biases := k.Label("biases")
	k.JumpIf(k.AtLeast(k.thread, write.Int(consumers+2*warp)), biases)
	k.JumpIf(k.NotEqual(k.lane, write.Int(0)), end)
	k.produce()
	k.Jump(end)
	k.Place(biases)
	k.prepareBiases()
	k.Place(end)
	k.Return()
	if k.Bytes {
		return write.Module(write.HopperBytes, k.Kernel)
	}
	return write.Module(write.Hopper, k.Kernel)
}

// parameters declares the parameters.
func (k *kernel) parameters() {
	if k.Whole {
		k.x, k.y, k.scratch = k.Pointer("positions"), k.Pointer("y"), k.Pointer("scratch")
	} else {
		k.x, k.y = k.Pointer("x"), k.Pointer("y")
		k.scratch = k.y
	}
	k.weights, k.biases = k.Pointer("weights"), k.Pointer("biases")
	if k.Bytes {
		k.scales = k.Pointer("scales")
	}
	k.products = k.Pointer("pool")
	k.boards, k.blocks, k.every = k.Number("boards"), k.Number("blocks"), k.Number("every")
	if k.Whole {
		k.width = k.Number("width")
	}
}

// prepare makes the barriers, and clears the boards with their edges.
func (k *kernel) prepare() {
	k.Note("barriers, and zeros")
	k.If(k.Equal(k.thread, write.Int(0)), func() {
		for w := range 2 {
			for s := range hopper.Stages {
				at := write.Int(k.Barriers() + (w*2*hopper.Stages+s)*8)
				k.InitBarrier(k.shared, at, 1)
				k.InitBarrier(k.shared, at+hopper.Stages*8, 4) // warps
			}
		}
		k.InitBarrier(k.shared, write.Int(k.Turn()), 1)
		k.PublishBarriers()
	})
	clearBoards(k.Kernel, k.shared, k.thread, k.Ring())
}

// clearBoards sets the first size bytes of shared memory to zero, and waits for all threads.
func clearBoards(k *write.Kernel, shared, thread write.U32, size int) {
	zero := k.Copy(write.Int(0))
	zeros := []write.U32{zero, zero, zero, zero}
	at, end := k.MulAdd(thread, write.Int(16), shared), k.Add(shared, write.Int(size))
	again := k.Label("clear")
	k.Place(again)
	k.Write16(at, 0, zeros)
	k.Increase(at, write.Int(16*hopper.Threads))
	k.JumpIf(k.Less(at, end), again)
	k.FenceAsync()
	k.Sync(everyone, hopper.Threads)
}

// ring is a thread's place in a ring of stages.
type ring struct {
	slot, parity write.U32
	full, empty  write.U32 // barriers of the first stage
	data         write.U32 // the first stage, in the unit that the caller wants
}

// newRing returns the beginning of the ring of warpgroup part.
func (k *kernel) newRing(parity write.Int) *ring {
	r := &ring{slot: k.Copy(write.Int(0)), parity: k.Copy(parity)}
	r.full = k.Add(k.MulAdd(k.part, write.Int(2*hopper.Stages*8), k.shared), write.Int(k.Barriers()))
	r.empty = k.Add(r.full, write.Int(hopper.Stages*8))
	r.data = k.Add(k.MulAdd(k.part, write.Int(hopper.Stages*hopper.Stage), k.shared), write.Int(k.Ring()))
	return r
}

// next goes to the next stage.
func (k *kernel) next(r *ring) {
	k.Increase(r.slot, write.Int(1))
	wrap := k.Equal(r.slot, write.Int(hopper.Stages))
	k.When(wrap, func() {
		k.Set(r.slot, write.Int(0))
		k.Flip(r.parity, write.Int(1))
	})
}

// ahead is the number of stages of the first ring after which the second begins. The first
// warpgroup keeps its lead, so that the matrix unit works for one warpgroup while the other is in an
// epilogue. An epilogue takes about as long as four stages.
const ahead = hopper.Stages + 4

// produce fetches all weights, a stage as soon as there is room for it.
func (k *kernel) produce() {
	k.Note("weights")
	turn, second := k.Add(k.shared, write.Int(k.Turn())), k.NotEqual(k.part, write.Int(0))
	k.If(second, func() { k.Wait(turn, k.Copy(write.Int(0))) })
	left := k.Choose(second, write.Int(0), write.Int(ahead)) // the second never gets to 0 again
	r := k.newRing(1)
	fetch := func(stages, bytes int, from write.U64) {
		k.Repeat("fetch", write.Int(stages), func() {
			at := k.Left(r.slot, write.Int(3))
			full := k.Add(r.full, at)
			k.Wait(k.Add(r.empty, at), r.parity)
			k.Expect(full, bytes)
			k.Fetch(k.MulAdd(r.slot, write.Int(hopper.Stage), r.data), from, bytes, full)
			k.Skip(from, write.Int(bytes))
			k.next(r)
			k.Increase(left, write.Int(-1))
			k.When(k.Equal(left, write.Int(0)), func() { k.ArriveAt(turn) })
		})
	}
	// own returns where the warpgroup's stages of a convolution begin.
	own := func(stages int) write.U64 {
		return k.Beyond(k.weights, k.part, write.Int((2/k.Sets()-1)*stages*hopper.Stage))
	}
	parts := 2 / k.Sets()
	if k.Whole {
		stages := k.Passes() * hopper.StemSteps
		fetch(stages, hopper.Stage, own(stages))
		k.Skip(k.weights, write.Int(parts*stages*hopper.Stage))
	}
	stages, layers := k.Passes()*k.Steps(), k.Left(k.blocks, write.Int(1))
	from := own(stages)
	k.Repeat("layer", layers, func() {
		fetch(stages, hopper.Stage, from)
		k.Skip(from, write.Int((parts-1)*stages*hopper.Stage))
	})
	if k.Whole {
		k.Advance(k.weights, layers, write.Int(parts*stages*hopper.Stage))
		first := func() { fetch(k.FirstSteps(), hopper.FirstStage, k.weights) }
		if parts == 1 {
			first()
		} else {
			k.If(k.Equal(k.part, write.Int(0)), first)
		}
	}
}
