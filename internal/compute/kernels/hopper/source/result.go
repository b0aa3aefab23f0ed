package source

import (
	"warren/internal/compute/kernels/hopper"
	"warren/internal/compute/ptx/write"
)

// biases returns the thread's biases of a step, of its two rows. They are loaded before the convolution.
func (l *link) biases(place write.U32) (bias [2]write.F32) {
	if !l.Back {
		at := l.Beyond(l.numbers, l.Add(place, l.row), 4)
		bias = [2]write.F32{l.LoadF(at, 0), l.LoadF(at, 8*4)}
	}
	return bias
}

// holds reports whether a flag is set.
func (l *link) holds(flags write.U32, flag write.Int) write.Pred {
	return l.NotEqual(l.And(flags, flag), write.Int(0))
}

// either writes the result with or without the residual, as the flags say.
func (l *link) either(flags write.U32, result func(residual bool)) {
	with, end := l.Label("residual"), l.Label("end")
	l.JumpIf(l.holds(flags, hopper.Residual), with)
	result(false)
	l.Jump(end)
	l.Place(with)
	result(true)
	l.Place(end)
}

// results computes all pairs of the result from their sums, and writes them to shared memory and, with a
// residual, to where the next one is kept. For each, finish gets the number of the board and row, 2*board+row, and whether it is their first.
func (l *link) results(residual bool, finish func(out write.U32, low, high write.F32, at int, first bool, old write.U32)) {
	for g := 0; g < 8*l.Each; g += 2 {
		old, kept := make([]write.U32, 4), l.kept[2*g:][:4]
		if l.Back {
			old = l.U32s(4)
			l.ReadMatrices(old, l.to, l.group(g))
		}
		out := kept
		if !residual {
			out = l.U32s(4)
		}
		for i := range out {
			low, high := l.sums[4*g+2*i], l.sums[4*g+2*i+1]
			if residual {
				a, b := l.BrainFloats(kept[i])
				low, high = l.AddF(low, a), l.AddF(high, b)
			}
			group := g + i/2
			finish(out[i], low, high, group%l.Each*2+i%2, group < l.Each, old[i])
		}
		l.WriteMatrices(l.to, l.group(g), out)
	}
}

// forward writes the result of a step of the forward pass: with bias, residual and ReLU.
func (l *link) forward(flags write.U32, row [2]write.F32) {
	l.Note("result")
	bias := l.F32s(2 * l.Each)
	for i := range bias {
		l.SetF(bias[i], row[i%2])
	}
	l.If(l.holds(flags, hopper.PlusBoard), func() {
		for b := range l.Each {
			board := l.Add(l.first, write.Int(b))
			l.If(l.Less(board, l.boards), func() {
				at := l.Beyond(l.boardBias, l.MulAdd(board, write.Int(l.Channels), l.row), 4)
				for r := range 2 {
					l.SetF(bias[2*b+r], l.AddF(bias[2*b+r], l.LoadF(at, write.Int(r*8*4))))
				}
			})
		}
	})
	l.either(flags, func(residual bool) {
		l.results(residual, func(out write.U32, low, high write.F32, at int, _ bool, _ write.U32) {
			l.Brains(out, l.Relu(l.AddF(low, bias[at])), l.Relu(l.AddF(high, bias[at])))
		})
	})
}

// backward writes the result of a step of the backward pass: with residual, and the gradient of a ReLU.
func (l *link) backward(flags, place write.U32) {
	l.Note("result")
	masked := l.holds(flags, hopper.Masked)
	all := l.Choose(masked, write.Int(0), write.Int(0xffffffff))
	sums := l.F32s(2 * l.Each)
	l.either(flags, func(residual bool) {
		l.results(residual, func(out write.U32, low, high write.F32, at int, first bool, mask write.U32) {
			pair := l.NewU32()
			l.Brains(pair, low, high)
			l.Set(out, l.And(pair, l.Or(l.Positive(mask), all)))
			low, high = l.BrainFloats(out)
			sum := l.AddF(low, high)
			if !first {
				sum = l.AddF(sums[at], sum)
			}
			l.SetF(sums[at], sum)
		})
	})
	l.If(masked, func() {
		for i := range sums {
			for _, lanes := range []write.Int{1, 2} {
				l.SetF(sums[i], l.AddF(sums[i], l.Exchange(sums[i], lanes)))
			}
		}
		l.If(l.Equal(l.And(l.lane, write.Int(3)), write.Int(0)), func() {
			at := l.Beyond(l.numbers, l.Add(place, l.MulAdd(l.first, write.Int(l.Channels), l.row)), 4)
			for b := range l.Each {
				l.If(l.Less(l.Add(l.first, write.Int(b)), l.boards), func() {
					for r := range 2 {
						l.StoreF(at, write.Int((b*l.Channels+r*8)*4), sums[2*b+r])
					}
				})
			}
		})
	})
}
