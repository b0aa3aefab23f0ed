package source

import (
	"warren/internal/compute/kernels/hopper"
	"warren/internal/compute/ptx/write"
)

// Barriers of a chain's group of threads. Those of warpgroup w have the number w more. everyone, own and
// ready are as a tower's.
const (
	written write.Int = 7  // a result is in shared memory, and what it was made of is not needed any more
	meet    write.Int = 11 // both warpgroups compute for the same boards
	loaded  write.Int = 9  // the mask is there, and the result before is on its way to global memory
)

// Places in a step.
const (
	weightsOf write.Int = iota * 4
	numbersOf
	resultOf
	maskOf
	flagsOf
	productOf
	sumsOf
)

// chain is a chain of convolutions that is being written. Its warps are those of a tower, but warps 10
// and 11 copy results and masks, each for one warpgroup.
type chain struct {
	*write.Kernel
	hopper.Chain

	x, mask, weights, numbers, boardBias, steps write.U64
	pooledValues, products                      write.U64
	xAt, residualAt, boards, count              write.U32

	shared, thread, lane write.U32
	part                 write.U32 // the warpgroup that the thread computes or works for, 0 or 1
}

// Chain returns the text of the module of a chain: both passes, and the packing of weights.
func Chain(c hopper.Chain) string {
	c.Back = false
	back := c
	back.Back = true
	return write.Module(write.Hopper, chained(c), chained(back), packing(c))
}

func chained(c hopper.Chain) *write.Kernel {
	k := &chain{Kernel: write.New(c.Kernel(), hopper.Threads), Chain: c}
	k.x, k.mask, k.weights, k.numbers = k.Pointer("x"), k.Pointer("mask"), k.Pointer("weights"), k.Pointer("numbers")
	k.boardBias, k.pooledValues, k.products, k.steps = k.Pointer("boardBias"), k.Pointer("pooled"), k.Pointer("products"), k.Pointer("steps")
	k.xAt, k.residualAt, k.boards, k.count = k.Number("xAt"), k.Number("residualAt"), k.Number("boards"), k.Number("count")
	k.shared, k.thread = k.Memory(), k.Thread()
	k.lane = k.And(k.thread, write.Int(warp-1))
	k.prepare()
	others, couriers, end := k.Label("others"), k.Label("couriers"), k.Label("end")
	k.JumpIf(k.AtLeast(k.thread, write.Int(consumers)), others)
	k.MoreRegisters(many)
	k.multiply()
	k.Jump(end)
	k.Place(others)
	k.FewerRegisters(few)
	k.part = k.And(k.Right(k.thread, write.Int(5)), write.Int(1))
	k.JumpIf(k.AtLeast(k.thread, write.Int(consumers+2*warp)), couriers)
	k.JumpIf(k.NotEqual(k.lane, write.Int(0)), end)
	if k.Rings() == 1 {
		k.JumpIf(k.NotEqual(k.part, write.Int(0)), end)
	}
	k.fetch()
	k.Jump(end)
	k.Place(couriers)
	k.carry()
	k.Place(end)
	k.Return()
	return k.Kernel
}

// prepare makes the barriers, and clears the boards with their edges.
func (k *chain) prepare() {
	k.Note("barriers, and zeros")
	k.If(k.Equal(k.thread, write.Int(0)), func() {
		for ring := range k.Rings() {
			for s := range k.Slots() {
				at := write.Int(k.Barriers() + (ring*2*k.Slots()+s)*8)
				k.InitBarrier(k.shared, at, 1)
				k.InitBarrier(k.shared, at+write.Int(k.Slots()*8), 8/k.Rings()) // warps
			}
		}
		k.InitBarrier(k.shared, write.Int(k.Turn()), 1)
		k.PublishBarriers()
	})
	clearBoards(k.Kernel, k.shared, k.thread, k.Ring())
}

// split reports whether the warpgroups compute parts of the outputs of the same boards.
func (k *chain) split() bool { return k.Sets() == 1 }

// halfAndSet returns which part of the outputs the warpgroup computes, and of which boards.
func (k *chain) halfAndSet() (half, set write.U32) {
	if k.split() {
		return k.part, k.Copy(write.Int(0))
	}
	return k.Copy(write.Int(0)), k.part
}

// firstBoard is the first board of a set.
func (k *chain) firstBoard(set write.U32) write.U32 {
	return k.MulAdd(k.Group(), write.Int(k.Boards()), k.Mul(set, write.Int(k.Each)))
}

// newRing returns the beginning of the ring that the warpgroup reads.
func (k *chain) newRing(parity write.Int) *ring {
	which := k.part
	if k.Rings() == 1 {
		which = k.Copy(write.Int(0))
	}
	r := &ring{slot: k.Copy(write.Int(0)), parity: k.Copy(parity)}
	r.full = k.Add(k.MulAdd(which, write.Int(2*k.Slots()*8), k.shared), write.Int(k.Barriers()))
	r.empty = k.Add(r.full, write.Int(k.Slots()*8))
	r.data = k.Add(k.MulAdd(which, write.Int(k.Slots()*hopper.Stage), k.shared), write.Int(k.Ring()))
	return r
}

// next goes to the next stage.
func (k *chain) next(r *ring) {
	k.Increase(r.slot, write.Int(1))
	wrap := k.Equal(r.slot, write.Int(k.Slots()))
	k.When(wrap, func() {
		k.Set(r.slot, write.Int(0))
		k.Flip(r.parity, write.Int(1))
	})
}

// fetch copies the weights of all steps, a stage as soon as there is room for it. The second ring
// begins later, as a tower's.
func (k *chain) fetch() {
	k.Note("weights")
	turn, left := k.Add(k.shared, write.Int(k.Turn())), k.Copy(write.Int(0))
	if k.Rings() == 2 {
		second := k.NotEqual(k.part, write.Int(0))
		k.If(second, func() { k.Wait(turn, k.Copy(write.Int(0))) })
		k.Set(left, k.Choose(second, write.Int(0), write.Int(k.Slots()+ahead-hopper.Stages)))
	}
	r, step := k.newRing(1), k.NewU64()
	k.SetAddress(step, k.steps)
	k.Repeat("layer", k.count, func() {
		from := k.Beyond(k.weights, k.Load4(step, weightsOf), hopper.Unit)
		if k.split() {
			k.Advance(from, k.part, write.Int(k.Tiles()*k.Steps()*hopper.Stage))
		}
		k.Repeat("fetch", write.Int(k.Tiles()*k.Steps()), func() {
			at := k.Left(r.slot, write.Int(3))
			full := k.Add(r.full, at)
			k.Wait(k.Add(r.empty, at), r.parity)
			k.Expect(full, hopper.Stage)
			k.Fetch(k.MulAdd(r.slot, write.Int(hopper.Stage), r.data), from, hopper.Stage, full)
			k.Skip(from, hopper.Stage)
			k.next(r)
			if k.Rings() == 2 {
				k.Increase(left, write.Int(-1))
				k.When(k.Equal(left, write.Int(0)), func() { k.ArriveAt(turn) })
			}
		})
		k.Skip(step, hopper.StepSize*4)
	})
}
