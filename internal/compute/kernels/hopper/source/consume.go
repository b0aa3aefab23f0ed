package source

import (
	"warren/internal/compute/kernels/hopper"
	"warren/internal/compute/ptx/write"
)

// consumer is a warpgroup that multiplies. Of 64 outputs and 256 squares, in the order of units
// in shared memory, a thread has the rows lane/4 and lane/4+8 of its warp's 16, and of each 8
// squares the files 2*(lane%4) and the next.
type consumer struct {
	*kernel
	ring *ring

	never, always write.Pred
	sums          []write.F32
	whole         []write.U32 // the sums in bytes
	// kept is in fp16, pairs of files: [rank of a board][row]. It is the residual of a block, or,
	// where the warpgroup has two passes, the outputs of the first.
	kept    []write.U32
	scratch write.U64 // there, the residual of the thread is in global memory

	lows    [2]write.U32 // buffer: the first channels, as a descriptor
	reads   [2]write.U32 // buffer: the channels that the warpgroup reads first
	others  [2]write.U32 // buffer: the other half of the channels
	at      [2]write.U32 // buffer: the address for the matrices of the thread
	row     write.U32    // of the first output of the thread among all channels
	bias    write.U64    // of the row in the next convolution
	scale   write.U64    // of the row in the next block, in bytes
	image   write.U32    // like at, of boards in fp16, in a kernel in bytes
	halves  bool         // whether the products that are being written are in fp16
	signals write.Pred   // in one thread of each warp
	other   write.U32    // the other warpgroup
	set     write.U32    // of boards
	first   write.U32    // board
}

// Kinds of convolutions.
const (
	firstOfBlock  write.Int = 0 // reads buffer 0, writes buffer 1
	secondOfBlock write.Int = 1 // reads buffer 1, writes buffer 0
	stem          write.Int = 2 // likewise, but reads planes
)

// consume computes the boards of a warpgroup.
func (k *kernel) consume() {
	k.part = k.Right(k.thread, write.Int(7))
	c := &consumer{kernel: k}
	c.never, c.always = k.Constants()
	c.sums, c.kept = k.F32s(128), k.U32s(64)
	c.halves = !k.Bytes
	c.place()
	layers, kind := c.Left(c.blocks, write.Int(1)), c.Copy(firstOfBlock)
	switch {
	case c.Bytes:
		c.expand()
		c.stemToBytes()
	case c.Whole:
		c.expand()
		c.Increase(layers, write.Int(1))
		c.Set(kind, stem)
	default:
		c.load()
		c.publish(0)
		c.firstResidual()
	}
	left := k.Copy(k.every)
	c.Repeat("layer", layers, func() {
		for pass := range c.Passes() {
			c.convolve(kind, pass)
			c.epilogue(kind, pass, left)
		}
		c.Set(kind, c.Choose(c.Equal(kind, firstOfBlock), secondOfBlock, firstOfBlock))
	})
	if c.split() {
		c.Sync(c.Add(c.other, ready), consumers)
	}
	if c.Bytes {
		c.bytesToHalves()
	}
	if c.Whole {
		c.firstLayers()
	} else {
		c.store()
	}
}

// epilogue makes the outputs of a pass of a convolution.
func (c *consumer) epilogue(kind write.U32, pass int, left write.U32) {
	second, first, end := c.Label("second"), c.Label("stem"), c.Label("end")
	c.JumpIf(c.Equal(kind, secondOfBlock), second)
	if c.stemInLoop() {
		c.JumpIf(c.Equal(kind, stem), first)
	}
	if c.Bytes {
		c.firstBytes(pass)
	} else {
		c.firstEpilogue(pass)
	}
	if c.last(pass) {
		c.publish(1)
		c.pooling(left)
	}
	c.Jump(end)
	c.Place(second)
	if c.Bytes {
		c.secondBytes(pass)
	} else {
		c.secondEpilogue(pass)
	}
	if c.last(pass) {
		c.publish(0)
		c.Skip(c.bias, write.Int(2*c.Channels*4))
		if c.Bytes {
			c.Skip(c.scale, write.Int(4*c.Channels*4))
		}
	}
	if c.stemInLoop() {
		c.Jump(end)
		c.Place(first)
		c.stemEpilogue(pass)
		if c.last(pass) {
			c.publish(0)
			c.Skip(c.bias, write.Int(c.Channels*4))
		}
	}
	c.Place(end)
}

// group is the place of 8 squares, the rank of a board, in the outputs of a pass.
func group(pass, g int) write.Int {
	return write.Int((pass*hopper.Rows/8*hopper.Octet + g*hopper.Rank) * hopper.Unit)
}

// stemInLoop reports whether the stem is one of the convolutions of the loop.
func (c *consumer) stemInLoop() bool { return c.Whole && !c.Bytes }

// split reports whether the warpgroups compute parts of the outputs of the same boards.
func (c *consumer) split() bool { return c.Sets() == 1 }

// place computes where the thread's numbers are.
func (c *consumer) place() {
	c.ring = c.newRing(0)
	c.ring.data = c.Start(c.ring.data, hopper.Rows)
	c.other = c.Sub(c.Copy(write.Int(1)), c.part)
	half, set := c.part, c.Copy(write.Int(0))
	if !c.split() {
		half, set = set, half
	}
	c.set = set
	c.first = c.MulAdd(c.Group(), write.Int(c.Tower.Boards), c.Mul(set, write.Int(4)))
	warp := c.And(c.Right(c.thread, write.Int(5)), write.Int(3))
	matrix, i := c.Right(c.lane, write.Int(3)), c.And(c.lane, write.Int(7))
	octet := c.MulAdd(half, write.Int(c.Outputs()/8), c.MulAdd(warp, write.Int(2), c.And(matrix, write.Int(1))))
	unit := c.MulAdd(octet, write.Int(hopper.Octet), c.MulAdd(c.Right(matrix, write.Int(1)), write.Int(hopper.Rank), i))
	for b := range 2 {
		start := c.Add(c.MulAdd(set, write.Int(c.Activations()), c.shared), write.Int(c.Buffer(b)))
		c.at[b] = c.Add(c.MulAdd(unit, write.Int(hopper.Unit), start), write.Int(hopper.First*hopper.Unit))
		low := c.Start(start, hopper.Octet) // of the rank and the file before the first
		c.lows[b] = low
		c.reads[b] = c.MulAdd(half, write.Int(c.Channels/2/c.PerUnit()*hopper.Octet), low)
		if c.split() {
			c.others[b] = c.MulAdd(c.other, write.Int(c.Channels/2/c.PerUnit()*hopper.Octet), low)
		}
	}
	c.row = c.MulAdd(half, write.Int(c.Outputs()), c.MulAdd(warp, write.Int(16), c.Right(c.lane, write.Int(2))))
	c.bias = c.Beyond(c.biases, c.row, 4)
	if c.Bytes {
		c.placeBytes(half, warp, matrix, i)
	}
	if c.Passes() > 1 {
		c.scratch = c.Beyond(c.kernel.scratch, c.first, write.Int(64*c.Channels*2))
		c.Advance(c.scratch, c.thread, 16)
	}
	c.signals = c.Equal(c.lane, write.Int(0))
}

// publish tells the threads that read a buffer that the warpgroup has written its part.
func (c *consumer) publish(buffer int) {
	c.FenceAsync()
	c.Sync(c.Add(c.part, own), warpgroup)
	if c.split() {
		c.Arrive(c.Add(c.part, ready+write.Int(2*buffer)), consumers)
	}
}

// convolve computes the sums of a pass of a convolution, without bias. Of the channels it begins with
// those that the warpgroup has written itself, so that it need not wait for the other.
func (c *consumer) convolve(kind write.U32, pass int) {
	c.Note("convolution")
	second := c.NotEqual(kind, firstOfBlock)
	b, rank := c.Choose(second, c.reads[1], c.reads[0]), c.Copy(write.Int(0))
	left, half := c.Copy(write.Int(c.Steps()-1)), c.Copy(write.Int(0)) // of none, the half never comes
	if c.split() {
		c.Set(half, write.Int(c.Steps()/2))
	}
	if c.stemInLoop() {
		c.When(c.Equal(kind, stem), func() {
			c.Set(b, c.lows[1])
			c.Set(left, write.Int(hopper.StemSteps-1))
			c.Set(half, write.Int(0))
		})
	}
	c.step(b, rank, true)
	again := c.Label("step")
	c.Place(again)
	if c.split() {
		c.If(c.Equal(left, half), func() {
			if pass == 0 {
				c.Sync(c.Add(c.other, c.Choose(second, ready+2, ready)), consumers)
			}
			c.Set(b, c.Choose(second, c.others[1], c.others[0]))
		})
	}
	c.step(b, rank, false)
	c.Increase(left, write.Int(-1))
	c.JumpIf(c.NotEqual(left, write.Int(0)), again)
	c.AwaitMultiply(0)
	c.release()
}

// step adds the products of a stage: of 16 channels, with the squares of three files on a rank. b
// is where they begin.
func (c *consumer) step(b, rank write.U32, first bool) {
	c.multiply(b, 3, 1, first)
	last := c.Equal(rank, write.Int(2))
	c.Increase(b, c.Choose(last, write.Int(2*hopper.Octet-2*hopper.Ranks), write.Int(hopper.Ranks)))
	c.Increase(rank, write.Int(1))
	c.When(last, func() { c.Set(rank, write.Int(0)) })
}

// multiply adds the products of a stage with a number of operands, which begin at b and lie a number
// of units apart.
func (c *consumer) multiply(b write.U32, products, apart int, first bool) {
	r := c.ring
	c.Wait(c.MulAdd(r.slot, write.Int(8), r.full), r.parity)
	a := c.MulAdd(r.slot, write.Int(hopper.Stage/hopper.Unit), r.data)
	c.BeginMultiply()
	for i := range products {
		add := c.always
		if first && i == 0 {
			add = c.never
		}
		weights := write.Matrices{Low: c.Add(a, write.Int(i*hopper.Block/hopper.Unit)), Rows: 8}
		squares := write.Matrices{Low: c.Add(b, write.Int(i*apart)), Rows: hopper.Rank}
		if c.Bytes && !c.halves {
			c.MultiplyBytes(c.whole, weights, squares, add)
		} else {
			c.Multiply(c.sums, weights, squares, add)
		}
	}
	c.EndMultiply()
	if !first {
		c.AwaitMultiply(1)
		c.release()
	}
	c.next(r)
}

// release gives back the stage before the current one, whose products are done.
func (c *consumer) release() {
	before := c.And(c.Add(c.ring.slot, write.Int(hopper.Stages-1)), write.Int(hopper.Stages-1))
	barrier := c.MulAdd(before, write.Int(8), c.ring.empty)
	c.When(c.signals, func() { c.ArriveAt(barrier) })
}
