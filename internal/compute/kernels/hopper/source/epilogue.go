package source

import (
	"warren/internal/compute/ptx/write"
)

// firstEpilogue writes the outputs of a block's first convolution to buffer 1.
func (c *consumer) firstEpilogue() {
	c.Note("first epilogue")
	bias := []write.F32{c.LoadF(c.bias, 0), c.LoadF(c.bias, 8*4)}
	for g := 0; g < 32; g += 2 {
		out := c.U32s(4)
		for i := range out {
			low, high := c.sums[4*g+2*i], c.sums[4*g+2*i+1]
			b := bias[i%2]
			c.Halves(out[i], c.Relu(c.AddF(low, b)), c.Relu(c.AddF(high, b)))
		}
		c.WriteMatrices(c.at[1], group(g), out)
	}
	c.publish(1)
}

// secondEpilogue writes the outputs of the block to buffer 0 and keeps them as the next block's
// residual.
func (c *consumer) secondEpilogue() {
	c.Note("second epilogue")
	c.Sync(c.Add(c.set, biased), c.meeting())
	at := c.Add(c.MulAdd(c.set, write.Int(4*c.Channels*4), c.MulAdd(c.row, write.Int(4), c.shared)), write.Int(c.Biases()))
	var bias [8]write.F32
	for i := range bias {
		bias[i] = c.ReadF(at, write.Int(i/2*c.Channels*4+i%2*8*4))
	}
	for g := 0; g < 32; g += 2 {
		out := c.residual[2*g:][:4]
		for i := range out {
			low, high := c.sums[4*g+2*i], c.sums[4*g+2*i+1]
			b := bias[(g+i/2)%4*2+i%2]
			l, h := c.Floats(out[i])
			c.Halves(out[i], c.Relu(c.AddF(c.AddF(low, b), l)), c.Relu(c.AddF(c.AddF(high, b), h)))
		}
		c.WriteMatrices(c.at[0], group(g), out)
	}
	c.Skip(c.bias, write.Int(2*c.Channels*4))
	c.publish(0)
}

// meeting is the number of threads that meet for the biases of a set of boards.
func (c *kernel) meeting() int { return (consumers + 2*warp) / c.Sets() }

// pooling writes the means and maxima of the first convolution's outputs if the block wants them,
// and in any case tells the threads that prepare the biases.
func (c *consumer) pooling(left write.U32) {
	c.If(c.pools(left), func() {
		c.Note("means and maxima")
		var sum, most [8]write.F32 // [board][row]
		for g := 0; g < 32; g += 2 {
			pairs := c.U32s(4)
			c.ReadMatrices(pairs, c.at[1], group(g))
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
		for i := range sum {
			for _, mask := range []write.Int{1, 2} {
				sum[i] = c.AddF(sum[i], c.Exchange(sum[i], mask))
				most[i] = c.Max(most[i], c.Exchange(most[i], mask))
			}
			sum[i] = c.MulF(sum[i], 1.0/64)
		}
		at := c.Add(c.MulAdd(c.set, write.Int(2*c.Channels*4*4), c.MulAdd(c.row, write.Int(4*4), c.shared)), write.Int(c.Pooled()))
		c.When(c.Equal(c.And(c.lane, write.Int(3)), write.Int(0)), func() {
			for row := range 2 {
				place := write.Int(row * 8 * 4 * 4)
				c.WriteF(at, place, sum[row], sum[2+row], sum[4+row], sum[6+row])
				c.WriteF(at, place+write.Int(c.Channels*4*4), most[row], most[2+row], most[4+row], most[6+row])
			}
		})
	})
	c.Arrive(c.Add(c.set, pooled), c.meeting())
}

// pools reports whether the next block has a bias from the means and maxima, which is so when no
// blocks are left until then.
func (k *kernel) pools(left write.U32) write.Pred {
	k.Increase(left, write.Int(-1)) // for ever if there are none
	now := k.Equal(left, write.Int(0))
	k.When(now, func() { k.Set(left, k.every) })
	return now
}

// prepareBiases computes the biases of the second convolutions, for two outputs of four boards a
// thread.
func (k *kernel) prepareBiases() {
	k.Note("biases")
	set, output := k.Copy(write.Int(0)), k.Left(k.Sub(k.thread, write.Int(consumers+2*warp)), write.Int(1))
	if k.Sets() == 2 {
		set, output = k.part, k.Left(k.lane, write.Int(1))
	}
	row := write.Int(k.Channels * 4)
	bias := k.Beyond(k.biases, output, 4)
	k.Skip(bias, row)
	w := k.Beyond(k.pool, output, 4)
	from := k.Add(k.MulAdd(set, 2*4*row, k.shared), write.Int(k.Pooled()))
	to := k.Add(k.MulAdd(set, 4*row, k.MulAdd(output, write.Int(4), k.shared)), write.Int(k.Tower.Biases()))
	left := k.Copy(k.every)
	k.Repeat("bias", k.blocks, func() {
		sums := k.F32s(8) // [board][output]
		start := k.LoadPairF(bias, 0)
		for i := range sums {
			k.SetF(sums[i], start[i%2])
		}
		k.Sync(k.Add(set, pooled), k.meeting())
		k.If(k.pools(left), func() {
			means := k.Copy(from)
			k.Repeat("input", write.Int(2*k.Channels/inputs), func() { k.product(sums, w, means) })
		})
		for b := range 4 {
			k.WriteF(to, write.Int(b)*row, sums[2*b:][:2]...)
		}
		k.Arrive(k.Add(set, biased), k.meeting())
		k.Skip(bias, 2*row)
	})
}

// inputs is the number of weights of a product that are loaded together.
const inputs = 16

// product adds the products of some means or maxima with their weights.
func (k *kernel) product(sums []write.F32, w write.U64, means write.U32) {
	var weights [inputs][]write.F32
	for i := range weights {
		weights[i] = k.LoadPairF(w, write.Int(i*k.Channels*4))
	}
	for i, pair := range weights {
		for b, mean := range k.ReadF4(means, write.Int(i*4*4)) {
			k.Fuse(sums[2*b], mean, pair[0])
			k.Fuse(sums[2*b+1], mean, pair[1])
		}
	}
	k.Skip(w, write.Int(inputs*k.Channels*4))
	k.Increase(means, write.Int(inputs*4*4))
}
