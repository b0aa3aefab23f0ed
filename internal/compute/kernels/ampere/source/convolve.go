package source

import (
	"warren/internal/compute/kernels/ampere"
	"warren/internal/compute/ptx/write"
)

// begin loads the first stages of weights.
func (k *network) begin() {
	k.Note("weights")
	for s := range ahead {
		k.loaded = append(k.loaded, k.U32s(k.Outputs()/4))
		k.load(k.loaded[s], s)
	}
}

// load loads the warp's weights of a stage, counted from that to which weights points.
func (k *network) load(to []write.U32, stage int) {
	for i := 0; i < len(to); i += 4 {
		k.LoadConstant16(to[i:][:4], k.weights, write.Int(stage*k.Stage()+i/4*512))
	}
}

// loadBias loads the biases of the next layer.
func (k *network) loadBias() {
	for i := 0; i < len(k.bias); i += 2 {
		k.LoadTwoF(k.bias[i:][:2], k.biases, write.Int(i/2*8*4))
	}
	k.Skip(k.biases, write.Int(k.Channels*4))
}

// rows are matrices of squares as the instruction that multiplies wants them: those of a rank and of
// the one Ranks/2 further, and the same of the next 8 channels, from the rank before the warp's first one.
type rows []write.U32

// read reads rows, some units from an address, and all but a number of ranks at both ends.
func (k *network) read(to rows, at write.U32, units, without int) {
	for r := without; r < k.Ranks()/2+2-without; r++ {
		k.ReadRows(to[4*(r-without):][:4], at, write.Int((r*ampere.Rank+units)*ampere.Unit))
	}
}

// multiply adds the products of a stage of weights with the squares of which rank r is the first.
func (k *network) multiply(x rows, rank int, weights []write.U32) {
	octets := k.Outputs() / 8
	for o := range octets {
		for m := range k.Ranks() / 2 {
			k.MultiplyWarp(k.sums[(m*octets+o)*4:][:4], x[4*(m+rank):][:4], weights[2*o:][:2])
		}
	}
}

// clearSums sets all sums to zero.
func (k *network) clearSums() {
	for _, s := range k.sums {
		k.ZeroF(s)
	}
}

// convolve computes the sums of a convolution of the first channels of a buffer, without bias, 16 of them
// a slice.
func (k *network) convolve(buffer, slices int) {
	const step = 2 * ampere.Plane * ampere.Unit
	k.clearSums()
	at, end := k.Copy(k.reads[buffer]), k.Add(k.reads[buffer], write.Int(slices*step))
	var files [3]rows
	for i := range files {
		files[i] = k.U32s(4 * (k.Ranks()/2 + 2))
	}
	stages := append([][]write.U32(nil), k.loaded...)
	for len(stages) < 9 {
		stages = append(stages, k.U32s(k.Outputs()/4))
	}
	stages = append(stages, k.loaded...)
	k.read(files[0], at, 0, 0)
	k.Repeat("slice", write.Int(slices), func() {
		k.Rolled()
		for file, x := range files {
			if file < 2 {
				k.read(files[file+1], at, file+1, 0)
			} else { // of the next slice; of the last one, something that is there
				k.Increase(at, write.Int(step))
				k.Set(at, k.Choose(k.Equal(at, end), k.reads[buffer], at))
				k.read(files[0], at, 0, 0)
			}
			for rank := range 3 {
				s := 3*file + rank
				k.load(stages[s+ahead], s+ahead)
				k.multiply(x, rank, stages[s])
			}
		}
		k.Skip(k.weights, write.Int(9*k.Stage()))
	})
}

// results calls put for the thread's pairs of outputs, with bias and ReLU, and with residual if it is not
// nil: the pair's output among those of 8 and the pair's rank.
func (k *network) results(residual func(octet, rank int) write.U32, put func(octet, rank int, pair write.U32)) {
	octets := k.Outputs() / 8
	for i := 0; i < len(k.sums); i += 2 {
		octet, rank := i/4%octets, i/4/octets+i%4/2*k.Ranks()/2
		low, high := k.AddF(k.sums[i], k.bias[2*octet]), k.AddF(k.sums[i+1], k.bias[2*octet+1])
		if residual != nil {
			l, h := k.Floats(residual(octet, rank))
			low, high = k.AddF(low, l), k.AddF(high, h)
		}
		pair := k.NewU32()
		k.Halves(pair, k.Relu(low), k.Relu(high))
		put(octet, rank, pair)
	}
}

// store writes the results of a convolution to a buffer, whose boards may be the residual, and waits for the
// board's other warps.
func (k *network) store(buffer int, residual bool) {
	place := func(octet, rank int) write.Int {
		return write.Int((octet*ampere.Plane + rank*ampere.Rank) * ampere.Unit)
	}
	var there func(octet, rank int) write.U32
	if residual {
		there = func(octet, rank int) write.U32 { return k.Read4(k.writes[buffer], place(octet, rank)) }
	}
	k.results(there, func(octet, rank int, pair write.U32) {
		k.Write4(k.writes[buffer], place(octet, rank), pair)
	})
	k.Sync(k.together, ampere.Threads/k.Boards)
}

// firstLayers computes the heads' first layers of buffer 0.
func (k *network) firstLayers() {
	k.Note("first layers")
	k.loadBias()
	k.clearSums()
	slices := k.Channels / ampere.Depth
	stages := append([][]write.U32(nil), k.loaded...)
	x := rows(k.U32s(2 * k.Ranks()))
	for s := range slices {
		if s+ahead < slices {
			stages = append(stages, k.U32s(k.Outputs()/4))
			k.load(stages[s+ahead], s+ahead)
		}
		k.read(x, k.reads[0], s*2*ampere.Plane+1, 1)
		k.multiply(x, 0, stages[s])
	}
	square, quarter := k.divide(k.lane, 4)
	part := k.Right(k.thread, 5+log(k.Channels/k.Outputs()))
	half := k.And(part, write.Int(8/k.Ranks()-1))
	board := k.MulAdd(k.Group(), write.Int(k.Boards), k.board)
	square = k.Add(k.MulAdd(board, write.Int(64), k.Mul(half, write.Int(8*k.Ranks()))), square)
	column := k.MulAdd(quarter, write.Int(2), k.output)
	y := k.Beyond(k.y, k.MulAdd(square, k.width, column), 2)
	var ranks []write.U64
	for r := range k.Ranks() {
		ranks = append(ranks, k.Beyond(y, k.Mul(k.width, write.Int(8*r)), 2))
	}
	var inside []write.Pred
	for o := range k.Outputs() / 8 {
		inside = append(inside, k.Less(k.Add(column, write.Int(8*o)), k.width))
	}
	k.results(nil, func(octet, rank int, pair write.U32) {
		k.When(inside[octet], func() { k.Store4(ranks[rank], write.Int(octet*16), pair) })
	})
}
