package source

import (
	"warren/internal/compute/kernels/hopper"
	"warren/internal/compute/ptx/write"
)

// consume computes the sums of a warpgroup: of the products of all gradients with the inputs on the
// rank before, on the same rank or on the next, and on three files there. Of 64 outputs and 64 inputs
// a thread has the outputs lane/4 and lane/4+8 of its warp's 16, and of each 8 inputs 2*(lane%4) and
// the next.
func (k *outer) consume() {
	k.Note("products")
	group, quarter := k.Right(k.warp, write.Int(2)), k.And(k.warp, write.Int(3))
	c := &sums{outer: k, all: k.F32s(3 * 32), fragments: [2][]write.U32{k.U32s(8), k.U32s(8)}}
	_, c.always = k.Constants()
	c.signals = k.Equal(k.lane, write.Int(0))
	matrix, row := k.Right(k.lane, write.Int(3)), k.And(k.lane, write.Int(7))
	octet := k.MulAdd(quarter, write.Int(2), k.And(matrix, write.Int(1)))
	unit := k.MulAdd(octet, write.Int(hopper.GradientOctet), k.MulAdd(k.Right(matrix, write.Int(1)), write.Int(8), row))
	c.slots = k.slots(0, hopper.Slot, k.MulAdd(unit, write.Int(hopper.Unit), k.Add(k.shared, write.Int(hopper.Gradients*hopper.Unit))))
	start := k.Start(k.shared, hopper.InputRank)
	c.inputs = k.MulAdd(group, write.Int(hopper.InputRank), start)
	out := k.MulAdd(quarter, write.Int(16), k.Right(k.lane, write.Int(2)))
	place := k.MulAdd(k.And(k.lane, write.Int(3)), write.Int(2*64), out)
	parts := k.Beyond(k.Beyond(k.parts, group, 3*hopper.Square*4), place, 4)
	k.Repeat("segment", k.count, func() {
		for _, sum := range c.all {
			k.ZeroF(sum)
		}
		c.products(k.Load4(k.segments, 4*6))
		to := k.Beyond(parts, k.Load4(k.segments, 4*7), hopper.Square*4)
		for i, sum := range c.all {
			tap, in, later := i/32, i%32/4*8+i%2, i/2%2*8
			k.StoreF(to, write.Int(((tap*64+in)*64+later)*4), sum)
		}
		k.Skip(k.segments, 4*hopper.SegmentNumbers)
	})
}

// sums are what a warpgroup computes.
type sums struct {
	*outer
	all       []write.F32    // [3 files][64/8][2 outputs][2 inputs]
	fragments [2][]write.U32 // of gradients, of the first and of the last four ranks of a board
	slots     *slots         // where the thread reads gradients
	inputs    write.U32      // where the warpgroup's begin in slot 0, as a descriptor
	always    write.Pred
	signals   write.Pred // in one thread of each warp
}

// products adds the products of a number of boards. While those of a half of a board are computed, the
// gradients of the next half come to registers.
func (c *sums) products(boards write.U32) {
	before := c.Copy(write.Int(0)) // the barrier of the slot before, where a thread gives it back
	release := func() {
		c.SyncWarp() // its gradients have been read
		c.When(c.NotEqual(before, write.Int(0)), func() { c.ArriveAt(before) })
	}
	c.Repeat("product", boards, func() {
		c.Wait(c.slots.full, c.slots.parity)
		c.half(0)
		release()
		c.half(1)
		c.Set(before, c.Choose(c.signals, c.Add(c.slots.full, empty), write.Int(0)))
		c.next(c.slots)
	})
	c.AwaitMultiply(0)
	release()
}

// half begins the products of half of a board, and waits for those of the half before.
func (c *sums) half(h int) {
	inputs := c.MulAdd(c.slots.at, write.Int(hopper.Slot/hopper.Unit), c.inputs)
	for step := range 2 {
		c.ReadMatrices(c.fragments[h][4*step:][:4], c.slots.data, write.Int((4*h+2*step)*8*hopper.Unit))
	}
	c.BeginMultiply()
	for step := range 2 {
		for file := range 3 {
			start := c.Add(inputs, write.Int((4*h+2*step)*hopper.InputRank+file))
			c.MultiplyAcross(c.all[32*file:][:32], c.fragments[h][4*step:][:4], write.Matrices{Low: start, Rows: hopper.InputOctet}, c.always)
		}
	}
	c.EndMultiply()
	c.AwaitMultiply(1)
}
