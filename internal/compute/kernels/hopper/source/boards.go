package source

import (
	"warren/internal/compute/kernels/hopper"
	"warren/internal/compute/ptx/write"
)

// load copies the boards to buffer 0: of each the channels whose outputs the warpgroup computes.
func (c *consumer) load() {
	c.Note("boards")
	c.copies(c.x, func(global write.U64, from write.Int, shared write.U32, to write.Int) {
		v := c.U32s(4)
		c.Load16(v, global, from)
		c.Write16(shared, to, v)
	})
}

// store copies them back.
func (c *consumer) store() {
	c.Note("results")
	c.copies(c.y, func(global write.U64, to write.Int, shared write.U32, from write.Int) {
		c.Store16(global, to, c.Read16(shared, from))
	})
}

// copies calls copy for the units of the warpgroup's boards and channels. A thread has one octet in
// two and one square in all boards.
func (c *consumer) copies(boards write.U64, copy func(global write.U64, at write.Int, shared write.U32, place write.Int)) {
	octet := c.And(c.thread, write.Int(1))
	if c.split() {
		octet = c.MulAdd(c.part, write.Int(c.Outputs()/8), octet)
	}
	square := c.And(c.Right(c.thread, write.Int(1)), write.Int(63))
	file, rank := c.And(square, write.Int(7)), c.Right(square, write.Int(3))
	channels := write.Int(c.Channels * 2) // bytes
	global := c.Beyond(boards, c.first, 64*channels)
	c.Advance(global, square, channels)
	c.Advance(global, octet, hopper.Unit)
	unit := c.MulAdd(octet, write.Int(hopper.Octet), c.MulAdd(rank, write.Int(hopper.Ranks), file))
	shared := c.MulAdd(unit, write.Int(hopper.Unit), c.MulAdd(c.set, write.Int(c.Activations()), c.shared))
	for b := range 4 {
		c.If(c.Less(c.Add(c.first, write.Int(b)), c.kernel.boards), func() {
			for o := 0; o < c.Outputs()/8; o += 2 {
				copy(global, write.Int(b)*64*channels+write.Int(o*hopper.Unit),
					shared, write.Int((hopper.First+b*hopper.Rank+o*hopper.Octet)*hopper.Unit))
			}
		})
	}
}
