package source

import (
	"warren/internal/compute/kernels/hopper"
	"warren/internal/compute/ptx/write"
)

// part is the boards of which a thread computes results together: two, or one that is alone.
type part struct {
	chain  *chain
	groups []int // of squares, in the order of ranks, each with the next
	rows   []int // the numbers 2*board+row
}

// parts are all boards of a set.
func (k *chain) parts() (all []part) {
	step := max(k.Each, 2)
	for first := 0; first < step; first += 2 {
		p := part{chain: k}
		for g := first; g < 8*k.Each; g += step {
			p.groups = append(p.groups, g)
		}
		for b := first; b < min(first+2, k.Each); b++ {
			p.rows = append(p.rows, 2*b, 2*b+1)
		}
		all = append(all, p)
	}
	return all
}

// row is the number among the part's rows of pair i of group g and the next.
func (p part) row(g, i int) int { return (g+i/2)%p.chain.Each*2 + i%2 - p.rows[0] }

// biases returns the thread's biases of a step, of the two rows of each tile. They are loaded before the convolution.
func (l *link) biases(place write.U32) (bias []write.F32) {
	if !l.Back {
		at := l.Beyond(l.numbers, l.Add(place, l.row), 4)
		for i := range 2 * l.Tiles() {
			bias = append(bias, l.LoadF(at, write.Int(i/2*hopper.Rows+i%2*8)*4))
		}
	}
	return bias
}

// holds reports whether a flag is set.
func (l *link) holds(flags write.U32, flag write.Int) write.Pred {
	return l.NotEqual(l.And(flags, flag), write.Int(0))
}

// results computes the pairs of a part, in a tile of outputs, from their sums, with the residual if it is wanted, and writes them to
// shared memory. With a residual they are the next. finish gets each pair with its row among the part's, its
// first square, and what lies where it goes, which is the mask of the backward pass.
func (l *link) results(tile int, p part, residual bool, finish func(out write.U32, low, high write.F32, row, square int, old write.U32)) {
	for _, g := range p.groups {
		old, kept := make([]write.U32, 4), l.kept[tile][2*g:][:4]
		if l.Back {
			old = l.U32s(4)
			l.ReadMatrices(old, l.to, l.group(tile, g))
		}
		out := kept
		if !residual {
			out = l.U32s(4)
		}
		for i := range out {
			low, high := l.sums[tile][4*g+2*i], l.sums[tile][4*g+2*i+1]
			if residual {
				a, b := l.FromBF16(kept[i])
				low, high = l.AddF(low, a), l.AddF(high, b)
			}
			finish(out[i], low, high, p.row(g, i), (g+i/2)/l.Each*8, old[i])
		}
		l.WriteMatrices(l.to, l.group(tile, g), out)
	}
}

// forward writes the result of a step of the forward pass: with bias, residual and ReLU.
func (l *link) forward(flags write.U32, rows []write.F32) {
	l.Note("result")
	var bias [][]write.F32 // [tile][board][row]
	for tile := range l.sums {
		bias = append(bias, l.boardBiases(flags, tile, rows[2*tile:][:2]))
	}
	result := func(residual bool) {
		for tile := range l.sums {
			for _, p := range l.parts() {
				l.results(tile, p, residual, func(out write.U32, low, high write.F32, row, _ int, _ write.U32) {
					b := bias[tile][p.rows[row]]
					l.ToBF16(out, l.Relu(l.AddF(low, b)), l.Relu(l.AddF(high, b)))
				})
			}
		}
	}
	l.choose(flags, hopper.Residual, func() { result(true) }, func() { result(false) })
}

// boardBiases returns the biases of a tile, [board][row], from those of its rows.
func (l *link) boardBiases(flags write.U32, tile int, rows []write.F32) []write.F32 {
	bias := l.F32s(2 * l.Each)
	for i := range bias {
		l.SetF(bias[i], rows[i%2])
	}
	l.If(l.holds(flags, hopper.PlusProduct), func() { l.plusProduct(tile, bias) })
	l.If(l.holds(flags, hopper.PlusBoard), func() {
		for b := range l.Each {
			board := l.Add(l.first, write.Int(b))
			l.If(l.Less(board, l.boards), func() {
				at := l.Beyond(l.boardBias, l.MulAdd(board, write.Int(l.Channels), l.row), 4)
				for r := range 2 {
					l.IncreaseF(bias[2*b+r], l.LoadF(at, write.Int(tile*hopper.Rows+r*8)*4))
				}
			})
		}
	})
	return bias
}

// choose executes what yes writes if a flag is set, and what no writes otherwise.
func (l *link) choose(flags write.U32, flag write.Int, yes, no func()) {
	with, end := l.Label("with"), l.Label("end")
	l.JumpIf(l.holds(flags, flag), with)
	no()
	l.Jump(end)
	l.Place(with)
	yes()
	l.Place(end)
}

// backward writes the result of a step of the backward pass: with residual, or the gradient by means and maxima,
// and the gradient of a ReLU.
func (l *link) backward(flags, place write.U32) {
	l.Note("result")
	masked := l.holds(flags, hopper.Masked)
	all := l.Choose(masked, write.Int(0), write.Int(-1))
	sums := l.F32s(2 * l.Each) // [board][row]
	result := func(tile int, residual bool) {
		for _, p := range l.parts() {
			l.results(tile, p, residual, func(out write.U32, low, high write.F32, row, square int, mask write.U32) {
				pair := l.NewU32()
				l.ToBF16(pair, low, high)
				l.Set(out, l.And(pair, l.Or(l.Positive(mask), all)))
				low, high = l.FromBF16(out)
				sum, at := l.AddF(low, high), sums[p.rows[row]]
				if square > 0 {
					sum = l.AddF(at, sum)
				}
				l.SetF(at, sum)
			})
		}
	}
	for tile := range l.sums {
		l.choose(flags, hopper.Residual, func() { result(tile, true) }, func() {
			l.If(l.pooled(flags), func() { l.plusPool(tile) })
			result(tile, false)
		})
		l.If(masked, func() { l.storeSums(tile, sums, place) })
	}
}

// storeSums writes the sums over each board of a tile, of which each thread has a part.
func (l *link) storeSums(tile int, sums []write.F32, place write.U32) {
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
					l.StoreF(at, write.Int((b*l.Channels+tile*hopper.Rows+r*8)*4), sums[2*b+r])
				}
			})
		}
	})
}
