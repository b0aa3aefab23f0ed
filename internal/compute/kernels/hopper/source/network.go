package source

import (
	"warren/internal/compute/kernels/hopper"
	"warren/internal/compute/ptx/write"
)

// stemEpilogue writes the outputs of a pass of the stem to buffer 0 and keeps them as the first
// residual.
func (c *consumer) stemEpilogue(pass int) {
	c.Note("stem's epilogue")
	bias := c.biasOf(pass)
	c.drain(0, pass)
	for g := 0; g < 32; g += 2 {
		out := c.kept[2*g:][:4]
		c.round(out, g, bias, nil)
		c.keep(out, pass, g)
	}
}

// expand writes the planes of the positions to buffer 1, a square of one or two boards a thread, and
// waits until all are there.
func (c *consumer) expand() {
	c.Note("planes")
	threads := consumers / c.Sets()
	square := c.And(c.thread, write.Int(63))
	board := c.And(c.Right(c.thread, write.Int(6)), write.Int(threads/64-1))
	bit := c.And(square, write.Int(31))
	unit := c.MulAdd(c.Right(square, write.Int(3)), write.Int(hopper.Ranks), c.MulAdd(board, write.Int(hopper.Rank), c.And(square, write.Int(7))))
	at := c.MulAdd(unit, write.Int(hopper.Unit), c.MulAdd(c.set, write.Int(c.Activations()), c.shared))
	for b := 0; b < 4; b += threads / 64 {
		number := c.Add(c.Add(c.first, board), write.Int(b))
		c.If(c.Less(number, c.kernel.boards), func() {
			position := PositionOf(c.Kernel, c.x, number, square, bit)
			for octet := range hopper.Planes / 8 {
				c.Write16(at, write.Int((hopper.First+b*hopper.Rank+octet*hopper.Octet)*hopper.Unit+c.Buffer(1)), position.Octet(octet))
			}
		})
	}
	c.FenceAsync()
	c.meet()
}

// firstLayers computes the layers that read the blocks' result. Of two warpgroups that share boards,
// the first does it.
func (c *consumer) firstLayers() {
	c.Note("first layers")
	end := c.Label("end")
	if c.split() {
		c.JumpIf(c.NotEqual(c.part, write.Int(0)), end)
	}
	b := c.Add(c.lows[0], write.Int(hopper.First))
	c.multiply(b, 2, 2*hopper.Octet, true)
	c.Repeat("first", write.Int(c.FirstSteps()-1), func() {
		c.Increase(b, write.Int(4*hopper.Octet))
		c.multiply(b, 2, 2*hopper.Octet, false)
	})
	c.AwaitMultiply(0)
	c.release()
	at := c.at[0]
	if c.Bytes {
		at = c.image
	}
	bias := c.biasOf(0)                   // the last in biases
	c.Sync(c.Add(c.part, own), warpgroup) // the warps read what others overwrite
	for g := 0; g < 32; g += 2 {
		out := c.U32s(4)
		c.round(out, g, bias, nil)
		c.WriteMatrices(at, group(0, g), out)
	}
	c.Sync(c.Add(c.part, own), warpgroup)
	c.storeFirst()
	c.Place(end)
}

// storeFirst copies the first layers' result from buffer 0, a square and one octet in two a thread.
func (c *consumer) storeFirst() {
	octet, square := c.And(c.thread, write.Int(1)), c.And(c.Right(c.thread, write.Int(1)), write.Int(63))
	unit := c.MulAdd(octet, write.Int(hopper.Octet), c.MulAdd(c.Right(square, write.Int(3)), write.Int(hopper.Ranks), c.And(square, write.Int(7))))
	from := c.MulAdd(unit, write.Int(hopper.Unit), c.MulAdd(c.set, write.Int(c.Activations()), c.shared))
	for b := range 4 {
		board := c.Add(c.first, write.Int(b))
		to := c.Beyond(c.y, c.Mul(c.MulAdd(board, write.Int(64), square), c.width), 2)
		c.Advance(to, octet, hopper.Unit)
		for o := 0; o < hopper.Rows/8; o += 2 {
			inside := c.Less(c.Left(c.Add(octet, write.Int(o)), write.Int(3)), c.width)
			c.If(inside, func() {
				c.If(c.Less(board, c.kernel.boards), func() {
					c.Store16(to, write.Int(o*hopper.Unit), c.Read16(from, write.Int((hopper.First+b*hopper.Rank+o*hopper.Octet)*hopper.Unit)))
				})
			})
		}
	}
}
