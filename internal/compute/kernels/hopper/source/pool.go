package source

import (
	"warren/internal/compute/kernels/hopper"
	"warren/internal/compute/ptx/write"
)

// together waits for all threads that compute for the same set of boards.
func (l *link) together() {
	if l.split() {
		l.Sync(meet, consumers)
	} else {
		l.Sync(l.Add(l.part, own), warpgroup)
	}
}

// exchange is together if another warpgroup computes for the same boards. Otherwise the next wait for loaded does it.
func (l *link) exchange() {
	if l.split() {
		l.together()
	}
}

// setOf is the place of the set's part of what has as many bytes for each set.
func (l *link) setOf(place, size int) write.U32 {
	return l.Add(l.MulAdd(l.set, write.Int(size), l.shared), write.Int(place))
}

// pooled reports whether a step is pooled.
func (l *link) pooled(flags write.U32) write.Pred { return l.holds(flags, hopper.Pooled) }

// ofKind returns the thread's number among the channels, and whether it works for maxima (1) or means (0): a
// set has as many threads as both.
func (l *link) ofKind() (channel, kind write.U32) {
	log := write.Int(map[int]int{64: 6, 128: 7}[l.Channels])
	thread := l.And(l.thread, write.Int(2*l.Channels-1))
	return l.And(thread, write.Int(l.Channels-1)), l.Right(thread, log)
}

// pool computes the next step's biases from the means and maxima of the result.
func (l *link) pool() {
	l.Note("means and maxima")
	sum, most := l.extremes()
	at := l.MulAdd(l.row, write.Int(l.Each*4), l.setOf(l.Pool(), l.PoolSize()))
	to := l.Beyond(l.chain.pooledValues, l.MulAdd(l.first, write.Int(2*l.Channels), l.row), 4)
	l.If(l.Equal(l.And(l.lane, write.Int(3)), write.Int(0)), func() {
		for r := range 2 {
			for kind, v := range [][]write.F32{sum, most} {
				row := write.Int(r*8 + kind*l.Channels)
				var boards []write.F32
				for b := range l.Each {
					boards = append(boards, v[2*b+r])
				}
				l.WriteF(at, row*write.Int(l.Each*4), boards...)
				for b, mean := range boards {
					l.If(l.Less(l.Add(l.first, write.Int(b)), l.boards), func() {
						l.StoreF(to, write.Int(b*2*l.Channels*4)+row*4, mean)
					})
				}
			}
		}
	})
	l.together()
	l.product()
	l.exchange()
}

// extremes returns the means and maxima of the thread's rows of the result, [board][row].
func (l *link) extremes() (sum, most []write.F32) {
	sum, most = l.F32s(2*l.Each), l.F32s(2*l.Each)
	for g := 0; g < 8*l.Each; g += 2 {
		pairs := l.U32s(4)
		l.ReadMatrices(pairs, l.to, l.group(g))
		for i, pair := range pairs {
			at, first := (g+i/2)%l.Each*2+i%2, g+i/2 < l.Each
			low, high := l.BrainFloats(pair)
			add, larger := l.AddF(low, high), l.Max(low, high)
			if !first {
				add, larger = l.AddF(sum[at], add), l.Max(most[at], larger)
			}
			l.SetF(sum[at], add)
			l.SetF(most[at], larger)
		}
	}
	for i := range sum {
		for _, lanes := range []write.Int{1, 2} {
			l.SetF(sum[i], l.AddF(sum[i], l.Exchange(sum[i], lanes)))
			l.SetF(most[i], l.Max(most[i], l.Exchange(most[i], lanes)))
		}
		l.SetF(sum[i], l.MulF(sum[i], 1.0/64))
	}
	return sum, most
}

// batch is the number of weights that a thread loads together.
const batch = 32

// product multiplies means, or maxima, by the weights of an output. The bias is added to what the means make.
func (l *link) product() {
	output, kind := l.ofKind()
	c := write.Int(l.Channels)
	w := l.Beyond(l.products, l.Load4(l.step, productOf), 4)
	l.Advance(w, output, 4)
	bias := l.LoadF(w, 2*c*c*4)
	l.Advance(w, kind, c*c*4)
	from := l.MulAdd(kind, write.Int(l.Channels*l.Each*4), l.setOf(l.Pool(), l.PoolSize()))
	sums := l.F32s(l.Each)
	means := l.Equal(kind, write.Int(0))
	for _, s := range sums {
		l.ZeroF(s)
		l.When(means, func() { l.SetF(s, bias) })
	}
	l.Repeat("product", c/batch, func() {
		weights := make([]write.F32, batch)
		for i := range weights {
			weights[i] = l.LoadF(w, write.Int(i)*c*4)
		}
		for i, weight := range weights {
			for b, v := range l.readBoards(from, write.Int(i*l.Each*4)) {
				l.Fuse(sums[b], v, weight)
			}
		}
		l.Skip(w, batch*c*4)
		l.Increase(from, write.Int(batch*l.Each*4))
	})
	to := l.MulAdd(kind, write.Int(l.Each*l.Channels*4), l.MulAdd(output, write.Int(4), l.setOf(l.Products(), l.PoolSize())))
	for b, s := range sums {
		l.WriteF(to, write.Int(b)*c*4, s)
	}
}

// readBoards reads a number for each board of the set from shared memory.
func (l *link) readBoards(address write.U32, at write.Int) (v []write.F32) {
	if l.Each == 4 {
		return l.ReadF4(address, at)
	}
	for b := range l.Each {
		v = append(v, l.ReadF(address, at+write.Int(b*4)))
	}
	return v
}

// plusProduct adds what means and maxima make to the biases, [board][row].
func (l *link) plusProduct(bias []write.F32) {
	at := l.MulAdd(l.row, write.Int(4), l.setOf(l.Products(), l.PoolSize()))
	for i := range bias {
		place := write.Int((i/2*l.Channels + i%2*8) * 4)
		of := l.AddF(l.ReadF(at, place), l.ReadF(at, place+write.Int(l.Each*l.Channels*4)))
		l.SetF(bias[i], l.AddF(bias[i], of))
	}
}

// poolGradient computes the gradients by means, for each square, and maxima from the sums of those by the result
// that has the bias.
func (l *link) poolGradient() {
	l.Note("gradients by means and maxima")
	channel, kind := l.ofKind()
	c, maxima := write.Int(l.Channels), l.NotEqual(kind, write.Int(0))
	sums := l.Beyond(l.numbers, l.Load4(l.step, sumsOf), 4)
	l.Advance(sums, l.first, c*4)
	from := l.Beyond(l.pooledValues, l.first, 2*c*4)
	l.Skip(from, c*4)
	to := l.MulAdd(l.MulAdd(kind, write.Int(l.Each*l.Channels), channel), write.Int(4), l.setOf(l.Products(), l.PoolSize()))
	l.Advance(sums, channel, 4)
	l.Advance(from, channel, 4)
	for b := range l.Each {
		v := l.Constant(0)
		l.If(l.Less(l.Add(l.first, write.Int(b)), l.boards), func() {
			l.If(maxima, func() { l.SetF(v, l.LoadF(from, write.Int(b)*2*c*4)) })
			l.If(l.Equal(kind, write.Int(0)), func() { l.SetF(v, l.LoadF(sums, write.Int(b)*c*4)) })
		})
		l.WriteF(to, write.Int(b)*c*4, v)
	}
	l.together()

	input := l.MulAdd(kind, c, channel)
	w := l.Beyond(l.products, l.Load4(l.step, productOf), 4)
	l.Advance(w, input, c*4)
	at := l.setOf(l.Products(), l.PoolSize())
	gradients := l.F32s(l.Each)
	for _, g := range gradients {
		l.ZeroF(g)
	}
	l.Repeat("product", c/batch*2, func() {
		weights := l.U32s(batch / 2)
		for i := 0; i < batch/2; i += 4 {
			l.Load16(weights[i:][:4], w, write.Int(i*4))
		}
		for i := 0; i < batch/2; i += 4 {
			for b, g := range gradients {
				for j, v := range l.ReadF4(at, write.Int(b)*c*4+write.Int(i*4)) {
					l.Fuse(g, v, l.Number32(weights[i+j]))
				}
			}
		}
		l.Skip(w, batch/2*4)
		l.Increase(at, write.Int(batch/2*4))
	})
	l.If(l.Equal(kind, write.Int(0)), func() {
		for _, g := range gradients {
			l.SetF(g, l.MulF(g, 1.0/64))
		}
	})
	l.WriteF(l.MulAdd(input, write.Int(l.Each*4), l.setOf(l.Pool(), l.PoolSize())), 0, gradients...)
	l.exchange()
}

// plusPool adds the gradients by means and maxima to the sums. The mask lies where the result will.
func (l *link) plusPool() {
	gradients := l.MulAdd(l.row, write.Int(l.Each*4), l.setOf(l.Pool(), l.PoolSize()))
	values := l.MulAdd(l.row, write.Int(4), l.setOf(l.Products()+l.Each*l.Channels*4, l.PoolSize()))
	for _, p := range l.parts() {
		place := l.peaks(p, values)
		for i, row := range p.rows {
			b, r := row/2, row%2*8
			mean := l.ReadF(gradients, write.Int((r*l.Each+b)*4))
			most := l.ReadF(gradients, write.Int(((l.Channels+r)*l.Each+b)*4))
			for _, g := range p.groups {
				for j := row % 2; j < 4; j += 2 {
					if p.row(g, j) != i {
						continue
					}
					for file := range 2 {
						sum, square := l.sums[4*g+2*j+file], (g+j/2)/l.Each*8+file
						l.IncreaseF(sum, mean)
						l.When(l.Is(place[i], float32(-square)), func() { l.IncreaseF(sum, most) })
					}
				}
			}
		}
	}
}

// peaks returns for each row of a part the negative place of the maximum among the squares, less the thread's
// first file. Of equal ones it is the first.
func (l *link) peaks(p part, values write.U32) (place []write.F32) {
	var maxima []write.F32
	for _, row := range p.rows {
		maxima = append(maxima, l.ReadF(values, write.Int((row/2*l.Channels+row%2*8)*4)))
		place = append(place, l.Constant(-1000))
	}
	l.scan(p, maxima, place)
	file := l.Real(l.Left(l.And(l.lane, write.Int(3)), write.Int(1)))
	minus := l.MulF(file, -1)
	for i := range place {
		first := l.AddF(place[i], minus)
		for _, lanes := range []write.Int{1, 2} {
			l.SetF(first, l.Max(first, l.Exchange(first, lanes)))
		}
		l.SetF(place[i], l.AddF(first, file))
	}
	return place
}

// scan sets places to the first maxima among a thread's squares, in a loop from the last rank to the first.
func (l *link) scan(p part, maxima, place []write.F32) {
	last := p.groups[len(p.groups)-1]
	at := l.Add(l.to, l.group(last))
	rank := l.Constant(float32(-last / l.Each * 8)) // its first square
	after, more := l.Constant(-1), l.Constant(float32((p.groups[1]-p.groups[0])/l.Each*8))
	l.Repeat("scan", write.Int(len(p.groups)), func() {
		pairs := l.U32s(4)
		l.ReadMatrices(pairs, at, 0)
		for j := 3; j >= 0; j-- {
			row, square := p.row(last, j), rank
			if j/2 == 1 && l.Each == 1 {
				square = l.AddF(rank, l.Constant(-8))
			}
			low, high := l.BrainFloats(pairs[j])
			next := l.AddF(square, after)
			l.When(l.Same(high, maxima[row]), func() { l.SetF(place[row], next) })
			l.When(l.Same(low, maxima[row]), func() { l.SetF(place[row], square) })
		}
		l.Increase(at, l.group(p.groups[0]-p.groups[1]))
		l.SetF(rank, l.AddF(rank, more))
	})
}
