package source

import (
	"warren/internal/compute/kernels/hopper"
	"warren/internal/compute/ptx/write"
)

// firstEpilogue writes the outputs of a pass of a block's first convolution to buffer 1.
func (c *consumer) firstEpilogue(pass int) {
	c.Note("first epilogue")
	bias := c.biasOf(pass)
	c.drain(1, pass)
	for g := 0; g < 32; g += 2 {
		out := c.U32s(4)
		if !c.last(pass) {
			out = c.kept[2*g:][:4]
		}
		c.round(out, g, bias, nil)
		if c.last(pass) {
			c.WriteMatrices(c.at[1], group(pass, g), out)
		}
	}
}

// biasOf returns the biases of a pass of a convolution, [board][row], which are the same for all
// boards.
func (c *consumer) biasOf(pass int) (bias [8]write.F32) {
	for row := range 2 {
		b := c.LoadF(c.bias, write.Int((pass*hopper.Rows+row*8)*4))
		for board := range 4 {
			bias[2*board+row] = b
		}
	}
	return bias
}

// secondEpilogue writes the outputs of a pass of the block to buffer 0 and keeps them as the next
// block's residual.
func (c *consumer) secondEpilogue(pass int) {
	c.Note("second epilogue")
	bias := c.boardBiases(pass)
	c.drain(0, pass)
	c.loadResidual(pass)
	for g := 0; g < 32; g += 2 {
		out := c.kept[2*g:][:4]
		c.round(out, g, bias, out)
		c.keep(out, pass, g)
	}
}

// boardBiases waits for the biases of a pass of the second convolution, [board][row], and returns them.
func (c *consumer) boardBiases(pass int) (bias [8]write.F32) {
	c.Sync(c.Add(c.set, biased+write.Int(pass)), c.meeting())
	at := c.Add(c.MulAdd(c.set, write.Int(4*c.Channels*4), c.MulAdd(c.row, write.Int(4), c.shared)), write.Int(c.Tower.Biases()))
	for i := range bias {
		bias[i] = c.ReadF(at, write.Int((i/2*c.Channels+pass*hopper.Rows+i%2*8)*4))
	}
	return bias
}

// keep writes outputs to buffer 0, if the pass is the last, and keeps them as the next residual.
func (c *consumer) keep(out []write.U32, pass, g int) {
	if c.Passes() > 1 {
		c.Store16(c.scratch, residualAt(pass, g), out)
	}
	if c.last(pass) {
		c.WriteMatrices(c.at[0], group(pass, g), out)
	}
}

// last reports whether a pass is the last of a convolution.
func (c *consumer) last(pass int) bool { return pass == c.Passes()-1 }

// drain waits, where a buffer is both read and written, until no products need it any more, and
// writes the outputs of the pass before, which are kept no longer.
func (c *consumer) drain(buffer, pass int) {
	if pass == 0 {
		return
	}
	c.Sync(drained, consumers)
	for g := 0; g < 32; g += 2 {
		c.WriteMatrices(c.at[buffer], group(pass-1, g), c.kept[2*g:][:4])
	}
}

// round computes the outputs of two groups of 8 squares from their sums: with bias, [board][row],
// residual, if it is not nil, and ReLU.
func (c *consumer) round(out []write.U32, g int, bias [8]write.F32, residual []write.U32) {
	for i := range out {
		b := bias[(g+i/2)%4*2+i%2]
		low, high := c.AddF(c.sums[4*g+2*i], b), c.AddF(c.sums[4*g+2*i+1], b)
		if residual != nil {
			l, h := c.Floats(residual[i])
			low, high = c.AddF(low, l), c.AddF(high, h)
		}
		c.Halves(out[i], c.Relu(low), c.Relu(high))
	}
}

// firstResidual keeps the boards as the first block's residual.
func (c *consumer) firstResidual() {
	if c.Passes() > 1 {
		c.Sync(drained, consumers) // y may be x
	}
	for pass := range c.Passes() {
		for g := 0; g < 32; g += 2 {
			c.ReadMatrices(c.kept[2*g:][:4], c.at[0], group(pass, g))
			if c.Passes() > 1 {
				c.Store16(c.scratch, residualAt(pass, g), c.kept[2*g:][:4])
			}
		}
	}
}

// residualAt is the place of a part of a thread's residual in global memory, where the threads'
// parts alternate.
func residualAt(pass, g int) write.Int { return write.Int((pass*16 + g/2) * consumers * 16) }

// meeting is the number of threads that meet for the biases of a set of boards.
func (c *kernel) meeting() int { return (consumers + 2*warp) / c.Sets() }

// pooling writes the means and maxima of the first convolution's outputs if the block wants them,
// and in any case tells the threads that prepare the biases.
func (c *consumer) pooling(left write.U32) {
	c.If(c.pools(left), func() {
		for pass := range c.Passes() {
			c.pool(pass)
		}
	})
	c.Arrive(c.Add(c.set, pooled), c.meeting())
}

// pool writes the means and maxima of the outputs of a pass.
func (c *consumer) pool(pass int) {
	c.Note("means and maxima")
	extremes := c.extremes
	if c.Bytes {
		extremes = c.extremesOfBytes
	}
	sum, most := extremes(pass)
	for i := range sum {
		for _, mask := range []write.Int{1, 2} {
			sum[i] = c.AddF(sum[i], c.Exchange(sum[i], mask))
			most[i] = c.Max(most[i], c.Exchange(most[i], mask))
		}
		sum[i] = c.MulF(sum[i], 1.0/64)
	}
	if c.Bytes {
		c.toNumbers(pass, sum[:], most[:])
	}
	at := c.Add(c.MulAdd(c.set, write.Int(2*c.Channels*4*4), c.MulAdd(c.row, write.Int(4*4), c.shared)), write.Int(c.Pooled()))
	c.When(c.Equal(c.And(c.lane, write.Int(3)), write.Int(0)), func() {
		for row := range 2 {
			place := write.Int((pass*hopper.Rows + row*8) * 4 * 4)
			c.WriteF(at, place, sum[row], sum[2+row], sum[4+row], sum[6+row])
			c.WriteF(at, place+write.Int(c.Channels*4*4), most[row], most[2+row], most[4+row], most[6+row])
		}
	})
}

// extremes returns sums and maxima of the thread's squares in the outputs of a pass, [board][row].
func (c *consumer) extremes(pass int) (sum, most [8]write.F32) {
	for g := 0; g < 32; g += 2 {
		pairs := c.U32s(4)
		c.ReadMatrices(pairs, c.at[1], group(pass, g))
		for i, pair := range pairs {
			low, high := c.Floats(pair)
			add, larger := c.AddF(low, high), c.Max(low, high)
			at := (g+i/2)%4*2 + i%2
			if g >= 4 {
				add, larger = c.AddF(sum[at], add), c.Max(most[at], larger)
			}
			sum[at], most[at] = add, larger
		}
	}
	return sum, most
}

// pools reports whether the next block has a bias from the means and maxima, which is so when no
// blocks are left until then.
func (k *kernel) pools(left write.U32) write.Pred {
	k.Increase(left, write.Int(-1)) // for ever if there are none
	now := k.Equal(left, write.Int(0))
	k.When(now, func() { k.Set(left, k.every) })
	return now
}

// prepareBiases computes the biases of the second convolutions, for each pass, two outputs of four
// boards a thread.
func (k *kernel) prepareBiases() {
	k.Note("biases")
	half := k.And(k.Right(k.thread, write.Int(5)), write.Int(1))
	set, output := k.Copy(write.Int(0)), k.Left(k.lane, write.Int(1))
	if k.Sets() == 2 {
		set = half
	} else {
		output = k.MulAdd(half, write.Int(k.Outputs()), output)
	}
	row := write.Int(k.Channels * 4)
	bias := k.Beyond(k.biases, output, 4)
	if k.Whole {
		k.Skip(bias, row)
	}
	k.Skip(bias, row)
	w := k.Beyond(k.products, output, 2)
	from := k.Add(k.MulAdd(set, 2*4*row, k.shared), write.Int(k.Pooled()))
	to := k.Add(k.MulAdd(set, 4*row, k.MulAdd(output, write.Int(4), k.shared)), write.Int(k.Tower.Biases()))
	left := k.Copy(k.every)
	k.Repeat("bias", k.blocks, func() {
		k.Sync(k.Add(set, pooled), k.meeting())
		now := k.pools(left)
		for pass := range k.Passes() {
			sums := k.F32s(8) // [board][output]
			part := write.Int(pass * hopper.Rows)
			start := k.LoadPairF(bias, part*4)
			for i := range sums {
				k.SetF(sums[i], start[i%2])
			}
			k.If(now, func() {
				means, weights := k.Copy(from), k.NewU64()
				k.SetAddress(weights, w)
				k.Repeat("input", write.Int(2*k.Channels/inputs), func() { k.product(sums, weights, means, part) })
			})
			for b := range 4 {
				k.WriteF(to, write.Int(b)*row+part*4, sums[2*b:][:2]...)
			}
			k.Arrive(k.Add(set, biased+write.Int(pass)), k.meeting())
		}
		k.When(now, func() { k.Skip(w, write.Int(k.Channels)*row) })
		k.Skip(bias, 2*row)
	})
}

// inputs is the number of weights of a product that are loaded together.
const inputs = 32

// product adds the products of some means or maxima with their weights.
func (k *kernel) product(sums []write.F32, w write.U64, means write.U32, part write.Int) {
	var weights [inputs]write.U32
	for i := range weights {
		weights[i] = k.Load4(w, (part+write.Int(i*k.Channels))*2)
	}
	for i, pair := range weights {
		low, high := k.Floats(pair)
		for b, mean := range k.ReadF4(means, write.Int(i*4*4)) {
			k.Fuse(sums[2*b], mean, low)
			k.Fuse(sums[2*b+1], mean, high)
		}
	}
	k.Skip(w, write.Int(inputs*k.Channels*2))
	k.Increase(means, write.Int(inputs*4*4))
}
