package source

import (
	"slices"

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
	c.slots = k.slots(k.Copy(write.Int(0)), 0, k.MulAdd(unit, write.Int(hopper.Unit), k.Add(k.shared, write.Int(hopper.Gradients*hopper.Unit))))
	start := k.Start(k.shared, hopper.InputRank)
	c.inputs = k.MulAdd(group, write.Int(hopper.InputRank), start)
	c.parts = k.Beyond(k.Beyond(k.parts, group, 3*hopper.Square*4), c.place(quarter), 4)
	k.Repeat("segment", k.count, func() {
		for _, sum := range c.all {
			k.ZeroF(sum)
		}
		c.products(k.Load4(k.segments, 4*6))
		c.store(k.Beyond(c.parts, k.Load4(k.segments, 4*7), hopper.Square*4))
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
	parts     write.U64     // the thread's place in the first part
	odd       [2]write.Pred // bits of the thread's output
	signals   write.Pred    // in one thread of each warp
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
		c.next(c.slots, 1)
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

// place prepares for store, and returns the thread's place in [64 inputs][64 outputs].
func (c *sums) place(quarter write.U32) write.U32 {
	bit := func(n int) write.U32 { return c.And(c.Right(c.lane, write.Int(n)), write.Int(1)) }
	for i := range c.odd {
		c.odd[i] = c.NotEqual(bit(2+i), write.Int(0))
	}
	in := c.MulAdd(c.And(c.lane, write.Int(3)), write.Int(2), bit(2))
	out := c.MulAdd(quarter, write.Int(16), c.MulAdd(bit(3), write.Int(8), c.Left(bit(4), write.Int(2))))
	return c.MulAdd(in, write.Int(64), out)
}

// store writes the sums. Four lanes whose outputs follow one another have two of these outputs' rows, lane/4
// and 8 more, and two inputs. They exchange them, so that each has one input of four outputs.
func (c *sums) store(to write.U64) {
	exchange := func(bit int, a, b *write.F32) {
		odd := c.odd[bit]
		got := c.Exchange(c.ChooseF(odd, *a, *b), 4<<bit)
		*a, *b = c.ChooseF(odd, got, *a), c.ChooseF(odd, *b, got)
	}
	for i := 0; i < len(c.all); i += 4 {
		v := slices.Clone(c.all[i : i+4])
		exchange(0, &v[0], &v[1])
		exchange(0, &v[2], &v[3])
		exchange(1, &v[0], &v[2])
		exchange(1, &v[1], &v[3])
		c.StoreF4(to, write.Int((i/32*64+i%32/4*8)*64*4), v)
	}
}
