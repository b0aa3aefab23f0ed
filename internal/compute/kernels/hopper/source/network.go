package source

import (
	"warren/internal/compute/kernels/hopper"
	"warren/internal/compute/ptx/write"
)

// stem computes the first convolution, of the planes of the positions, to buffer 0 and to the first
// residual.
func (c *consumer) stem() {
	c.expand()
	c.FenceAsync()
	if c.split() {
		c.Sync(drained, consumers)
	} else {
		c.Sync(c.Add(c.part, own), warpgroup)
	}
	for pass := range c.Passes() {
		c.Note("stem")
		b, rank := c.Copy(c.lows[1]), c.Copy(write.Int(0))
		c.step(b, rank, true)
		c.Repeat("stem", write.Int(hopper.StemSteps-1), func() { c.step(b, rank, false) })
		c.AwaitMultiply(0)
		c.release()
		bias := c.biasOf(pass)
		c.drain(0, pass)
		for g := 0; g < 32; g += 2 {
			out := c.kept[2*g:][:4]
			if pass > 0 {
				out = c.U32s(4)
			}
			c.round(out, g, bias, nil)
			if c.Passes() > 1 {
				c.Store16(c.scratch, residualAt(pass, g), out)
			}
			if c.last(pass) {
				c.WriteMatrices(c.at[0], group(pass, g), out)
			}
		}
	}
	c.Skip(c.bias, write.Int(c.Channels*4))
	c.publish(0)
}

// expand writes the planes of the positions to buffer 1, a square of one or two boards a thread.
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
			values := c.Beyond(c.x, number, hopper.Position)
			masks := c.Beyond(values, c.Right(square, write.Int(5)), 4)
			for octet := range hopper.Planes / 8 {
				v := c.U32s(8)
				place := write.Int((hopper.Planes*2 + octet*8) * 4)
				c.Load16(v[:4], values, place)
				c.Load16(v[4:], values, place+16)
				for i := range v {
					mask := c.Load4(masks, write.Int((octet*8+i)*8))
					set := c.And(c.Right(mask, bit), write.Int(1))
					v[i] = c.Mul(v[i], set) // the bits of the value, or of 0
				}
				halves := c.U32s(4)
				for i := range halves {
					c.Halves(halves[i], c.Number32(v[2*i]), c.Number32(v[2*i+1]))
				}
				c.Write16(at, write.Int((hopper.First+b*hopper.Rank+octet*hopper.Octet)*hopper.Unit+c.Buffer(1)), halves)
			}
		})
	}
}

// firstLayers computes the layers that read the blocks' result: 64 outputs, and, of boards that the
// warpgroups share, the four ranks of a half each.
func (c *consumer) firstLayers() {
	c.Note("first layers")
	sums, from := c.sums, c.Add(c.lows[0], write.Int(hopper.First))
	half := c.Copy(write.Int(0)) // in units
	if c.split() {
		sums, half = sums[:64], c.Mul(c.part, write.Int(4*hopper.Ranks))
	}
	from = c.Add(from, half)
	for stage := range c.FirstSteps() {
		c.Wait(c.MulAdd(c.ring.slot, write.Int(8), c.ring.full), c.ring.parity)
		a := c.MulAdd(c.ring.slot, write.Int(hopper.Stage/hopper.Unit), c.ring.data)
		c.BeginMultiply()
		for i := range min(3, c.Channels/hopper.Depth-3*stage) {
			add := c.always
			if stage+i == 0 {
				add = c.never
			}
			c.Multiply(sums,
				write.Matrices{Low: c.Add(a, write.Int(i*hopper.Block/hopper.Unit)), Rows: 8},
				write.Matrices{Low: c.Add(from, write.Int((3*stage+i)*2*hopper.Octet)), Rows: hopper.Rank}, add)
		}
		c.EndMultiply()
		c.next(c.ring)
		c.AwaitMultiply(0)
		c.release()
	}
	row := c.And(c.row, write.Int(hopper.Rows-1))
	biases := c.Beyond(c.Beyond(c.biases, c.MulAdd(c.blocks, write.Int(2), write.Int(1)), write.Int(c.Channels*4)), row, 4)
	low, high := c.LoadF(biases, 0), c.LoadF(biases, 8*4)
	bias := [8]write.F32{low, high, low, high, low, high, low, high}
	c.Sync(c.Add(c.part, own), warpgroup) // the warps read what others overwrite
	start := c.Add(c.MulAdd(c.set, write.Int(c.Activations()), c.shared), write.Int(c.Buffer(0)+hopper.First*hopper.Unit))
	start = c.MulAdd(half, write.Int(hopper.Unit), start)
	warp, matrix := c.And(c.Right(c.thread, write.Int(5)), write.Int(3)), c.Right(c.lane, write.Int(3))
	octet := c.MulAdd(warp, write.Int(2), c.And(matrix, write.Int(1)))
	unit := c.MulAdd(octet, write.Int(hopper.Octet), c.MulAdd(c.Right(matrix, write.Int(1)), write.Int(hopper.Rank), c.And(c.lane, write.Int(7))))
	at := c.MulAdd(unit, write.Int(hopper.Unit), start)
	for g := 0; g < len(sums)/4; g += 2 {
		out := c.U32s(4)
		c.round(out, g, bias, nil)
		c.WriteMatrices(at, group(0, g), out)
	}
	c.Sync(c.Add(c.part, own), warpgroup)
	c.storeFirst(start)
}

// storeFirst copies the first layers' result, which begins at an address of shared memory.
func (c *consumer) storeFirst(start write.U32) {
	octet, step := c.And(c.thread, write.Int(1)), 2
	local := c.And(c.Right(c.thread, write.Int(1)), write.Int(63)) // square among those of the warpgroup
	square := local
	if c.split() {
		local, step = c.And(local, write.Int(31)), 4
		octet = c.MulAdd(c.And(c.Right(c.thread, write.Int(6)), write.Int(1)), write.Int(2), octet)
		square = c.MulAdd(c.part, write.Int(32), local)
	}
	unit := c.MulAdd(octet, write.Int(hopper.Octet), c.MulAdd(c.Right(local, write.Int(3)), write.Int(hopper.Ranks), c.And(local, write.Int(7))))
	from := c.MulAdd(unit, write.Int(hopper.Unit), start)
	for b := range 4 {
		board := c.Add(c.first, write.Int(b))
		to := c.Beyond(c.y, c.Mul(c.MulAdd(board, write.Int(64), square), c.width), 2)
		c.Advance(to, octet, hopper.Unit)
		for o := 0; o < hopper.Rows/8; o += step {
			inside := c.Less(c.Left(c.Add(octet, write.Int(o)), write.Int(3)), c.width)
			c.If(inside, func() {
				c.If(c.Less(board, c.kernel.boards), func() {
					c.Store16(to, write.Int(o*hopper.Unit), c.Read16(from, write.Int((b*hopper.Rank+o*hopper.Octet)*hopper.Unit)))
				})
			})
		}
	}
}
