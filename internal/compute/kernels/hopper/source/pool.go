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

// exchange is together if one warpgroup computes for means and the other for maxima. Otherwise each computes for its own
// channels or boards, and the next wait for loaded does it.
func (l *link) exchange() {
	if l.split() && l.Channels < consumers {
		l.together()
	}
}

// setOf is the place of the set's part of what has as many bytes for each set.
func (l *link) setOf(place, size int) write.U32 {
	return l.Add(l.MulAdd(l.set, write.Int(size), l.shared), write.Int(place))
}

// pooled reports whether a step is pooled.
func (l *link) pooled(flags write.U32) write.Pred { return l.holds(flags, hopper.Pooled) }

// eachKind writes what a thread does for means (kind 0) and maxima (1) of a channel: for one of them where a set has as
// many threads as both, otherwise first for one, then for the other.
func (l *link) eachKind(do func(channel, kind write.U32)) {
	if l.Channels == consumers {
		for kind := range 2 {
			do(l.thread, l.Copy(write.Int(kind)))
		}
		return
	}
	log := write.Int(map[int]int{64: 6, 128: 7}[l.Channels])
	thread := l.And(l.thread, write.Int(2*l.Channels-1))
	do(l.And(thread, write.Int(l.Channels-1)), l.Right(thread, log))
}

// pool computes the next step's biases from the means and maxima of the result.
func (l *link) pool() {
	l.Note("means and maxima")
	at := l.MulAdd(l.row, write.Int(l.Each*4), l.setOf(l.Pool(), l.PoolSize()))
	to := l.Beyond(l.chain.pooledValues, l.MulAdd(l.first, write.Int(2*l.Channels), l.row), 4)
	for tile := range l.sums {
		sum, most := l.extremes(tile)
		l.If(l.Equal(l.And(l.lane, write.Int(3)), write.Int(0)), func() {
			for i := range 4 {
				kind, row := i/2, i%2
				place := write.Int(tile*hopper.Rows + row*8 + kind*l.Channels)
				var boards []write.F32
				for b := range l.Each {
					boards = append(boards, [][]write.F32{sum, most}[kind][2*b+row])
				}
				l.WriteF(at, place*write.Int(l.Each*4), boards...)
				for b, v := range boards {
					l.If(l.Less(l.Add(l.first, write.Int(b)), l.boards), func() {
						l.StoreF(to, write.Int(b*2*l.Channels*4)+place*4, v)
					})
				}
			}
		})
	}
	l.together()
	l.eachKind(l.product)
	l.exchange()
}

// extremes returns the means and maxima of the thread's rows of a tile of the result, [board][row].
func (l *link) extremes(tile int) (sum, most []write.F32) {
	sum, most = l.F32s(2*l.Each), l.F32s(2*l.Each)
	for g := 0; g < 8*l.Each; g += 2 {
		pairs := l.U32s(4)
		l.ReadMatrices(pairs, l.to, l.group(tile, g))
		for i, pair := range pairs {
			at, first := (g+i/2)%l.Each*2+i%2, g+i/2 < l.Each
			low, high := l.FromBF16(pair)
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
func (l *link) product(output, kind write.U32) {
	c := write.Int(l.Channels)
	w := l.Beyond(l.chain.products, l.Load4(l.step, productOf), 4)
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

// plusProduct adds what means and maxima make to the biases of a tile, [board][row].
func (l *link) plusProduct(tile int, bias []write.F32) {
	at := l.MulAdd(l.row, write.Int(4), l.setOf(l.Products(), l.PoolSize()))
	for i := range bias {
		place := write.Int((i/2*l.Channels + tile*hopper.Rows + i%2*8) * 4)
		of := l.AddF(l.ReadF(at, place), l.ReadF(at, place+write.Int(l.Each*l.Channels*4)))
		l.SetF(bias[i], l.AddF(bias[i], of))
	}
}

// poolGradient computes the gradients by means, for each square, and maxima from the sums of those by the result
// that has the bias.
func (l *link) poolGradient() {
	l.Note("gradients by means and maxima")
	l.eachKind(l.loadPool)
	l.together()
	l.eachKind(l.inputGradient)
	l.exchange()
}

// loadPool copies sums of gradients (kind 0) or maxima of a channel to shared memory.
func (l *link) loadPool(channel, kind write.U32) {
	c := write.Int(l.Channels)
	sums := l.Beyond(l.numbers, l.Load4(l.step, sumsOf), 4)
	l.Advance(sums, l.first, c*4)
	l.Advance(sums, channel, 4)
	maxima := l.Beyond(l.pooledValues, l.first, 2*c*4)
	l.Skip(maxima, c*4)
	l.Advance(maxima, channel, 4)
	to := l.MulAdd(l.MulAdd(kind, write.Int(l.Each*l.Channels), channel), write.Int(4), l.setOf(l.Products(), l.PoolSize()))
	for b := range l.Each {
		v := l.Constant(0)
		l.If(l.Less(l.Add(l.first, write.Int(b)), l.boards), func() {
			l.If(l.NotEqual(kind, write.Int(0)), func() { l.SetF(v, l.LoadF(maxima, write.Int(b)*2*c*4)) })
			l.If(l.Equal(kind, write.Int(0)), func() { l.SetF(v, l.LoadF(sums, write.Int(b)*c*4)) })
		})
		l.WriteF(to, write.Int(b)*c*4, v)
	}
}

// inputGradient multiplies sums of gradients by the weights of a mean, or a maximum.
func (l *link) inputGradient(channel, kind write.U32) {
	c := write.Int(l.Channels)
	input := l.MulAdd(kind, c, channel)
	w := l.Beyond(l.chain.products, l.Load4(l.step, productOf), 4)
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
}

// plusPool adds the gradients by means and maxima to the sums of a tile. The mask lies where the result will.
func (l *link) plusPool(tile int) {
	row := l.Add(l.row, write.Int(tile*hopper.Rows))
	gradients := l.MulAdd(row, write.Int(l.Each*4), l.setOf(l.Pool(), l.PoolSize()))
	values := l.MulAdd(row, write.Int(4), l.setOf(l.Products()+l.Each*l.Channels*4, l.PoolSize()))
	for _, p := range l.parts() {
		place := l.peaks(tile, p, values)
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
						sum, square := l.sums[tile][4*g+2*j+file], (g+j/2)/l.Each*8+file
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
func (l *link) peaks(tile int, p part, values write.U32) (place []write.F32) {
	var maxima []write.F32
	for _, row := range p.rows {
		maxima = append(maxima, l.ReadF(values, write.Int((row/2*l.Channels+row%2*8)*4)))
		place = append(place, l.Constant(-1000))
	}
	l.scan(tile, p, maxima, place)
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
func (l *link) scan(tile int, p part, maxima, place []write.F32) {
	last := p.groups[len(p.groups)-1]
	at := l.Add(l.to, l.group(tile, last))
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
			low, high := l.FromBF16(pairs[j])
			next := l.AddF(square, after)
			l.When(l.Same(high, maxima[row]), func() { l.SetF(place[row], next) })
			l.When(l.Same(low, maxima[row]), func() { l.SetF(place[row], square) })
		}
		l.Increase(at, l.group(0, p.groups[0]-p.groups[1]))
		l.SetF(rank, l.AddF(rank, more))
	})
}
