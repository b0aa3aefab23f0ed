package source

import (
	"warren/internal/compute/kernels/hopper"
	"warren/internal/compute/ptx/write"
)

// placeBytes computes where the thread's numbers are in bytes. A warp's 16 outputs are a unit of each
// square, and a matrix is a rank of a board.
func (c *consumer) placeBytes(half, warp, matrix, i write.U32) {
	c.whole, c.image = c.U32s(128), c.at[0]
	unit := c.MulAdd(c.MulAdd(half, write.Int(c.Outputs()/16), warp), write.Int(hopper.Octet), c.MulAdd(matrix, write.Int(hopper.Rank), i))
	start := c.MulAdd(unit, write.Int(hopper.Unit), c.MulAdd(c.set, write.Int(c.Activations()), c.shared))
	for b := range c.at {
		c.at[b] = c.Add(start, write.Int(c.Buffer(b)+hopper.First*hopper.Unit))
	}
	c.scale = c.Beyond(c.scales, c.row, 4)
}

// groupOfBytes is the place of the ranks of four boards in the outputs of a pass, in bytes. The first is
// group g.
func groupOfBytes(pass, g int) write.Int {
	return write.Int((pass*hopper.Rows/16*hopper.Octet + g*hopper.Rank) * hopper.Unit)
}

// meet waits for all threads that read or write the set's boards.
func (c *consumer) meet() {
	if c.split() {
		c.Sync(drained, consumers)
	} else {
		c.Sync(c.Add(c.part, own), warpgroup)
	}
}

// stemToBytes computes the stem in fp16, keeps it as the first residual, and writes it in bytes to buffer 0.
func (c *consumer) stemToBytes() {
	c.Note("stem")
	c.halves = true
	for pass := range c.Passes() {
		b, rank := c.Copy(c.lows[1]), c.Copy(write.Int(0))
		c.step(b, rank, true)
		c.Repeat("planes", write.Int(hopper.StemSteps-1), func() { c.step(b, rank, false) })
		c.AwaitMultiply(0)
		c.release()
		bias, per := c.biasOf(pass), c.scaleOf(0, pass)
		for g := 0; g < 32; g += 4 {
			kept := c.kept[2*g:][:8]
			c.round(kept[:4], g, bias, nil)
			c.round(kept[4:], g+2, bias, nil)
			c.writeBytes(0, pass, g, func(g, row int) (low, high write.F32) {
				low, high = c.Floats(c.kept[2*g+row])
				return c.TimesF(low, per[row]), c.TimesF(high, per[row])
			})
			c.saveResidual(pass, g)
		}
	}
	c.halves = false
	c.Skip(c.bias, write.Int(c.Channels*4))
	c.Skip(c.scale, write.Int(c.Channels*4))
	c.publish(0)
}

// bytesToHalves writes the blocks' result in fp16, over both buffers.
func (c *consumer) bytesToHalves() {
	c.Note("result in fp16")
	for pass := range c.Passes() {
		c.loadResidual(pass)
		for g := 0; g < 32; g += 2 {
			c.WriteMatrices(c.image, group(pass, g), c.kept[2*g:][:4])
		}
	}
	c.halves = true
	c.FenceAsync()
	c.meet()
}

// saveResidual stores four groups of 8 squares of the residual, from g, if it is in global memory.
func (c *consumer) saveResidual(pass, g int) {
	if c.Passes() > 1 {
		for half := range 2 {
			c.Store16(c.scratch, residualAt(pass, g+2*half), c.kept[2*(g+2*half):][:4])
		}
	}
}

// loadResidual loads the residual of a pass, if it is in global memory.
func (c *consumer) loadResidual(pass int) {
	if c.Passes() > 1 {
		for g := 0; g < 32; g += 2 { // all at once, because each takes long
			c.Load16(c.kept[2*g:][:4], c.scratch, residualAt(pass, g))
		}
	}
}

// scaleOf returns scales of the two rows of a pass.
func (c *consumer) scaleOf(number, pass int) (scale [2]write.F32) {
	for row := range scale {
		scale[row] = c.LoadF(c.scale, write.Int((number*c.Channels+pass*hopper.Rows+row*8)*4))
	}
	return scale
}

// writeBytes writes what of returns, for two rows of four groups of 8 squares from g, in bytes to a buffer.
func (c *consumer) writeBytes(buffer, pass, g int, of func(g, row int) (low, high write.F32)) {
	out := c.U32s(4)
	for i := range out {
		var bytes [4]write.U32 // [file][row]
		for row := range 2 {
			low, high := of(g+i, row)
			bytes[row], bytes[2+row] = c.Byte(low), c.Byte(high)
		}
		c.JoinBytes(out[i], bytes)
	}
	c.WriteMatrices(c.at[buffer], groupOfBytes(pass, g), out)
}

// scaled returns the results of a group of 8 squares in a row, without residual.
func (c *consumer) scaled(g, row int, scale [2]write.F32, bias [8]write.F32) (low, high write.F32) {
	of := func(file int) write.F32 {
		return c.MulAddF(c.Signed(c.whole[4*g+2*row+file]), scale[row], bias[g%4*2+row])
	}
	return of(0), of(1)
}

// firstBytes writes the outputs of a pass of a block's first convolution to buffer 1.
func (c *consumer) firstBytes(pass int) {
	c.Note("first epilogue")
	bias, scale := c.biasOf(pass), c.scaleOf(0, pass)
	for g := 0; g < 32; g += 4 {
		c.writeBytes(1, pass, g, func(g, row int) (low, high write.F32) { return c.scaled(g, row, scale, bias) })
	}
}

// secondBytes writes the outputs of a pass of the block to buffer 0 and keeps them as the next block's
// residual.
func (c *consumer) secondBytes(pass int) {
	c.Note("second epilogue")
	bias, scale, per := c.boardBiases(pass), c.scaleOf(2, pass), c.scaleOf(3, pass)
	c.loadResidual(pass)
	for g := 0; g < 32; g += 4 {
		c.writeBytes(0, pass, g, func(g, row int) (low, high write.F32) {
			kept := c.kept[2*g+row]
			low, high = c.scaled(g, row, scale, bias)
			l, h := c.Floats(kept)
			low, high = c.Relu(c.AddF(low, l)), c.Relu(c.AddF(high, h))
			c.Halves(kept, low, high)
			return c.TimesF(low, per[row]), c.TimesF(high, per[row])
		})
		c.saveResidual(pass, g)
	}
}

// extremesOfBytes is extremes for results in bytes.
func (c *consumer) extremesOfBytes(pass int) (sum, most [8]write.F32) {
	var sums, maxima [8]write.U32 // sums of two files in 16 bits each
	for g := 0; g < 32; g += 4 {
		squares := c.U32s(4) // [file][row] in bytes
		c.ReadMatrices(squares, c.at[1], groupOfBytes(pass, g))
		for i := range sums {
			pair := c.And(c.Right(squares[i/2], write.Int(i%2*8)), write.Int(0xff00ff))
			larger := c.Larger(c.And(pair, write.Int(0xff)), c.Right(pair, write.Int(16)))
			if g > 0 {
				pair, larger = c.Add(sums[i], pair), c.Larger(maxima[i], larger)
			}
			sums[i], maxima[i] = pair, larger
		}
	}
	for i := range sums {
		sum[i] = c.Real(c.Add(c.And(sums[i], write.Int(0xffff)), c.Right(sums[i], write.Int(16))))
		most[i] = c.Real(maxima[i])
	}
	return sum, most
}

// toNumbers multiplies means and maxima, [board][row], by their steps.
func (c *consumer) toNumbers(pass int, values ...[]write.F32) {
	step := c.scaleOf(1, pass)
	for _, v := range values {
		for i := range v {
			v[i] = c.TimesF(v[i], step[i%2])
		}
	}
}
