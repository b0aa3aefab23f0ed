package source

import (
	"warren/internal/compute/kernels/ampere"
	"warren/internal/compute/ptx/write"
)

// pool computes the biases of the next convolution from means and maxima of buffer 1.
func (k *network) pool() {
	k.Note("means and maxima")
	if k.Boards > 1 { // a board alone is complete
		k.Sync(everyone, ampere.Threads)
	}
	k.If(k.Less(k.thread, write.Int(k.Boards*k.Channels/2)), k.means)
	k.Sync(everyone, ampere.Threads)
	k.If(k.Less(k.thread, write.Int(k.Boards*k.Channels)), k.product)
	k.Skip(k.products, write.Int(2*k.Channels*k.Channels*4))
	k.Sync(everyone, ampere.Threads)
	for i := range k.bias {
		k.SetF(k.bias[i], k.ReadF(k.boardBias, write.Int((i/2*8+i%2)*4)))
	}
}

// means writes the means and maxima of two channels of a board.
func (k *network) means() {
	board, pair := k.divide(k.thread, k.Channels/2)
	octet, word := k.divide(pair, 4)
	unit := k.MulAdd(board, write.Int(k.Board()), k.Mul(octet, write.Int(ampere.Plane)))
	at := k.MulAdd(unit, write.Int(ampere.Unit), k.MulAdd(word, write.Int(4), k.Add(k.shared, write.Int(k.Buffer(1)+ampere.First*ampere.Unit))))
	sums, most := k.F32s(2), k.F32s(2)
	for i := range sums {
		k.ZeroF(sums[i])
		k.ZeroF(most[i]) // no number is below 0
	}
	k.Repeat("rank", write.Int(8), func() {
		var pairs []write.U32
		for file := range 8 {
			pairs = append(pairs, k.Read4(at, write.Int(file*ampere.Unit)))
		}
		for _, pair := range pairs {
			low, high := k.Floats(pair)
			for i, v := range []write.F32{low, high} {
				k.IncreaseF(sums[i], v)
				k.SetF(most[i], k.Max(most[i], v))
			}
		}
		k.Increase(at, write.Int(ampere.Rank*ampere.Unit))
	})
	to := k.MulAdd(k.MulAdd(board, write.Int(k.Channels), pair), write.Int(8), k.Add(k.shared, write.Int(k.Pooled())))
	k.WriteF(to, 0, k.MulF(sums[0], 1.0/64), k.MulF(sums[1], 1.0/64))
	k.WriteF(to, write.Int(k.Channels*4), most...)
}

// batch is the number of weights that a thread loads together.
const batch = 64

// product writes the bias of an output of a board.
func (k *network) product() {
	board, output := k.divide(k.thread, k.Channels)
	from := k.MulAdd(board, write.Int(2*k.Channels*4), k.Add(k.shared, write.Int(k.Pooled())))
	w, sum := k.Beyond(k.products, output, 4), k.LoadF(k.second, 0)
	k.Repeat("input", write.Int(2*k.Channels/batch), func() {
		var weights []write.F32
		for i := range batch {
			weights = append(weights, k.LoadF(w, write.Int(i*k.Channels*4)))
		}
		for i := 0; i < batch; i += 4 {
			for j, v := range k.ReadF4(from, write.Int(i*4)) {
				k.Fuse(sum, v, weights[i+j])
			}
		}
		k.Skip(w, write.Int(batch*k.Channels*4))
		k.Increase(from, write.Int(batch*4))
	})
	k.WriteF(k.MulAdd(k.thread, write.Int(4), k.Add(k.shared, write.Int(k.Biases()))), 0, sum)
}
