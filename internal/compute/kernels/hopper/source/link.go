package source

import (
	"warren/internal/compute/kernels/hopper"
	"warren/internal/compute/ptx/write"
)

// link is a warpgroup that multiplies in a chain. The threads have the outputs and squares that a
// consumer's have.
type link struct {
	*chain
	ring *ring

	never, always write.Pred
	sums          [][]write.F32 // tile of outputs
	kept          [][]write.U32 // the residual, pairs of files in bf16: [tile][rank of a board][row]

	reads   [2]write.U32 // buffer: the channels that the warpgroup reads first, as a descriptor
	others  [2]write.U32 // buffer: the other half of the channels
	at      [2]write.U32 // buffer: the address for the matrices of the thread
	row     write.U32    // of the first output of the thread among all channels
	signals write.Pred   // in one thread of each warp
	other   write.U32    // the other warpgroup
	set     write.U32    // of boards
	first   write.U32    // board

	step write.U64
	odd  write.Pred // the step reads the second buffer
	to   write.U32  // the address for the matrices of its result
}

// multiply computes the steps of a warpgroup.
func (k *chain) multiply() {
	k.part = k.Right(k.thread, write.Int(7))
	l := &link{chain: k}
	l.never, l.always = k.Constants()
	for range k.Tiles() {
		l.sums, l.kept = append(l.sums, k.F32s(32*k.Each)), append(l.kept, k.U32s(16*k.Each))
	}
	l.place()
	l.load(k.xAt, 0)
	l.load(k.residualAt, 1)
	l.FenceAsync()
	l.Sync(l.Add(l.part, own), warpgroup)
	for tile := range k.Tiles() {
		for g := 0; g < 8*k.Each; g += 2 {
			l.ReadMatrices(l.kept[tile][2*g:][:4], l.at[1], l.group(tile, g))
		}
	}
	l.publish(l.Copy(write.Int(0)))
	l.step = k.NewU64()
	k.SetAddress(l.step, k.steps)
	if k.Back {
		l.If(l.pooled(l.Load4(l.step, flagsOf)), l.poolGradient)
	}
	number := k.Copy(write.Int(0))
	l.odd = k.NotEqual(number, write.Int(0))
	k.Repeat("step", k.count, func() {
		l.SetPredicate(l.odd, l.And(number, write.Int(1)))
		l.to = l.Choose(l.odd, l.at[0], l.at[1])
		flags := l.Load4(l.step, flagsOf)
		numbers := l.Load4(l.step, numbersOf)
		bias := l.biases(numbers)
		l.convolve()
		l.Sync(l.Add(l.part, loaded), warpgroup+warp)
		if l.Back {
			l.backward(flags, numbers)
		} else {
			l.forward(flags, bias)
		}
		l.FenceAsync()
		l.Sync(l.Add(l.part, own), warpgroup)
		l.publish(l.Choose(l.odd, write.Int(0), write.Int(2)))
		if !l.Back {
			l.If(l.pooled(flags), l.pool)
		}
		l.Increase(number, write.Int(1))
		l.Skip(l.step, hopper.StepSize*4)
	})
	if k.split() {
		l.Sync(l.MulAdd(l.And(number, write.Int(1)), write.Int(2), l.Add(l.other, ready)), consumers)
	}
}

// place computes where the thread's numbers are.
func (l *link) place() {
	l.ring = l.newRing(0)
	l.ring.data = l.Start(l.ring.data, hopper.Rows)
	l.other = l.Sub(l.Copy(write.Int(1)), l.part)
	half, set := l.halfAndSet()
	l.set, l.first = set, l.firstBoard(set)
	warp := l.And(l.Right(l.thread, write.Int(5)), write.Int(3))
	matrix, i := l.Right(l.lane, write.Int(3)), l.And(l.lane, write.Int(7))
	octet := l.MulAdd(half, write.Int(8*l.Tiles()), l.MulAdd(warp, write.Int(2), l.And(matrix, write.Int(1))))
	unit := l.MulAdd(octet, write.Int(l.Octet()), l.MulAdd(l.Right(matrix, write.Int(1)), write.Int(hopper.Rank), i))
	for b := range 2 {
		start := l.Add(l.MulAdd(set, write.Int(l.Activations()), l.shared), write.Int(l.Buffer(b)))
		l.at[b] = l.Add(l.MulAdd(unit, write.Int(hopper.Unit), start), write.Int(l.First()*hopper.Unit))
		low := l.Start(start, write.Int(l.Octet())) // of the rank and the file before the first
		l.reads[b] = l.MulAdd(half, write.Int(8*l.Tiles()*l.Octet()), low)
		if l.split() {
			l.others[b] = l.MulAdd(l.other, write.Int(8*l.Tiles()*l.Octet()), low)
		}
	}
	l.row = l.MulAdd(half, write.Int(hopper.Rows*l.Tiles()), l.MulAdd(warp, write.Int(16), l.Right(l.lane, write.Int(2))))
	l.signals = l.Equal(l.lane, write.Int(0))
}

// group is the place of 8 squares, the rank of a board, in the thread's outputs.
func (l *link) group(tile, g int) write.Int {
	return write.Int((tile*hopper.Rows/8*l.Octet() + g*hopper.Rank) * hopper.Unit)
}

// load copies boards at a place in x to a buffer: of each the channels whose outputs the warpgroup
// computes. A thread has one octet in two and one square in all boards.
func (l *link) load(place write.U32, buffer int) {
	l.Note("boards")
	half, _ := l.halfAndSet()
	octet := l.MulAdd(half, write.Int(8*l.Tiles()), l.And(l.thread, write.Int(1)))
	square := l.And(l.Right(l.thread, write.Int(1)), write.Int(63))
	file, rank := l.And(square, write.Int(7)), l.Right(square, write.Int(3))
	channels := write.Int(l.Channels * 2) // bytes
	from := l.Beyond(l.x, place, hopper.Unit)
	l.Advance(from, l.first, 64*channels)
	l.Advance(from, square, channels)
	l.Advance(from, octet, hopper.Unit)
	unit := l.MulAdd(octet, write.Int(l.Octet()), l.MulAdd(rank, write.Int(l.Ranks()), file))
	to := l.MulAdd(unit, write.Int(hopper.Unit), l.MulAdd(l.set, write.Int(l.Activations()), l.shared))
	for b := range l.Each {
		l.If(l.Less(l.Add(l.first, write.Int(b)), l.boards), func() {
			var units [][]write.U32
			for o := range 4 * l.Tiles() {
				v := l.U32s(4)
				l.Load16(v, from, write.Int(b)*64*channels+write.Int(2*o*hopper.Unit))
				units = append(units, v)
			}
			for o, v := range units {
				l.Write16(to, write.Int((l.First()+b*hopper.Rank+2*o*l.Octet())*hopper.Unit+l.Buffer(buffer)), v)
			}
		})
	}
}

// publish tells the threads that read a buffer, of which twice the number is given, that the warpgroup has
// written its part.
func (l *link) publish(buffer write.U32) {
	if !l.split() {
		l.Arrive(l.Add(l.part, written), warpgroup+warp)
		return
	}
	l.Arrive(written, consumers+2*warp) // first, so that the other warpgroup cannot be a step ahead here
	l.Arrive(l.Add(l.Add(l.part, ready), buffer), consumers)
}

// convolve computes the sums of a step. Of the channels it begins with those that the warpgroup has
// written itself, so that it need not wait for the other.
func (l *link) convolve() {
	l.Note("convolution")
	b, rank := l.Choose(l.odd, l.reads[1], l.reads[0]), l.Copy(write.Int(0))
	left := l.Copy(write.Int(l.Steps() - 1))
	l.stage(b, rank, true)
	again := l.Label("stage")
	l.Place(again)
	if l.split() {
		l.If(l.Equal(left, write.Int(l.Steps()/2)), func() {
			l.Sync(l.Add(l.other, l.Choose(l.odd, ready+2, ready)), consumers)
			l.Set(b, l.Choose(l.odd, l.others[1], l.others[0]))
		})
	}
	l.stage(b, rank, false)
	l.Increase(left, write.Int(-1))
	l.JumpIf(l.NotEqual(left, write.Int(0)), again)
	l.AwaitMultiply(0)
	l.release()
}

// stage adds the products of a stage: of 16 channels, with the squares of three files on a rank. b
// is where they begin.
func (l *link) stage(b, rank write.U32, first bool) {
	for tile := range l.sums {
		l.multiplyStage(tile, b, first)
	}
	last := l.Equal(rank, write.Int(2))
	l.Increase(b, l.Choose(last, write.Int(2*l.Octet()-2*l.Ranks()), write.Int(l.Ranks())))
	l.Increase(rank, write.Int(1))
	l.When(last, func() { l.Set(rank, write.Int(0)) })
}

// multiplyStage adds those of a tile of outputs.
func (l *link) multiplyStage(tile int, b write.U32, first bool) {
	r := l.ring
	l.Wait(l.MulAdd(r.slot, write.Int(8), r.full), r.parity)
	a := l.MulAdd(r.slot, write.Int(hopper.Stage/hopper.Unit), r.data)
	l.BeginMultiply()
	for i := range 3 {
		add := l.always
		if first && i == 0 {
			add = l.never
		}
		l.MultiplyBF16(l.sums[tile],
			write.Matrices{Low: l.Add(a, write.Int(i*hopper.Block/hopper.Unit)), Rows: 8},
			write.Matrices{Low: l.Add(b, write.Int(i)), Rows: hopper.Rank}, add)
	}
	l.EndMultiply()
	if !first || tile > 0 {
		l.AwaitMultiply(1)
		l.release()
	}
	l.next(r)
}

// release gives back the stage before the current one, whose products are done.
func (l *link) release() {
	before := l.And(l.Add(l.ring.slot, write.Int(l.Slots()-1)), write.Int(l.Slots()-1))
	barrier := l.MulAdd(before, write.Int(8), l.ring.empty)
	l.When(l.signals, func() { l.ArriveAt(barrier) })
}
