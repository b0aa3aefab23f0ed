// Package source writes the kernels of package ampere.
package source

import (
	"math/bits"

	"warren/internal/compute/kernels/ampere"
	"warren/internal/compute/kernels/hopper"
	"warren/internal/compute/kernels/hopper/source"
	"warren/internal/compute/ptx/write"
)

// Barriers of the group of threads.
const (
	everyone write.Int = 0
	meeting  write.Int = 1 // of the warps of the first board; of each next one, one more
)

// ahead is the number of stages of weights that a thread has loaded, fewer than a slice has.
const ahead = 3

// network is a kernel that is being written. Of the 8 squares of a rank and of 8 outputs, a thread has
// the square lane/4 and the outputs 2*(lane%4) and the next.
type network struct {
	*write.Kernel
	ampere.Network

	positions, y, weights, biases, products write.U64
	blocks, every, width                    write.U32

	shared, thread, lane write.U32
	board                write.U32    // on which the warp works
	output               write.U32    // the first of the warp
	together             write.U32    // the barrier of the board
	reads                [2]write.U32 // buffer: the thread's row of the first matrices
	writes               [2]write.U32 // buffer: the thread's first two outputs
	boardBias            write.U32    // where their biases lie that the board alone has
	second               write.U64    // biases of the thread's product

	sums   []write.F32   // [rank of the first half][8 outputs][half][output]
	bias   []write.F32   // [8 outputs][output]
	loaded [][]write.U32 // the next stages, in order
}

// Networks returns the text of a module with kernels.
func Networks(all ...ampere.Network) string {
	var kernels []*write.Kernel
	for _, n := range all {
		kernels = append(kernels, kernel(n))
	}
	return write.Module(write.Ampere, kernels...)
}

func kernel(n ampere.Network) *write.Kernel {
	k := &network{Kernel: write.New(n.Kernel(), ampere.Threads), Network: n}
	k.positions, k.y = k.Pointer("positions"), k.Pointer("y")
	k.weights, k.biases, k.products = k.Pointer("weights"), k.Pointer("biases"), k.Pointer("products")
	k.blocks, k.every, k.width = k.Number("blocks"), k.Number("every"), k.Number("width")
	k.place()
	k.begin()
	k.clear()
	k.expand()
	k.Note("stem")
	k.loadBias()
	k.convolve(1, ampere.Slices)
	k.store(0, false)
	left := k.Copy(k.every)
	k.Repeat("block", k.blocks, func() {
		k.Note("first convolution")
		k.loadBias()
		k.convolve(0, n.Channels/ampere.Depth)
		k.store(1, false)
		k.Note("second convolution")
		k.loadBias()
		k.Increase(left, write.Int(-1)) // for ever if every is 0
		k.If(k.Equal(left, write.Int(0)), func() {
			k.Set(left, k.every)
			k.pool()
		})
		k.Skip(k.second, write.Int(2*n.Channels*4))
		k.convolve(1, n.Channels/ampere.Depth)
		k.store(0, true)
	})
	k.firstLayers()
	k.Return()
	return k.Kernel
}

// log returns the exponent of a power of two.
func log(n int) write.Int { return write.Int(bits.TrailingZeros(uint(n))) }

// divide returns a/n and the rest, for a power of two.
func (k *network) divide(a write.U32, n int) (quotient, rest write.U32) {
	return k.Right(a, log(n)), k.And(a, write.Int(n-1))
}

// place computes where the thread's numbers are.
func (k *network) place() {
	k.shared, k.thread = k.Memory(), k.Thread()
	warp, lane := k.divide(k.thread, 32)
	k.lane = lane
	board, part := k.divide(warp, ampere.Warps/k.Boards)
	half, group := k.divide(part, k.Channels/k.Outputs())
	k.board, k.together = board, k.Add(board, meeting)
	k.output = k.Mul(group, write.Int(k.Outputs()))
	start := k.MulAdd(half, write.Int(k.Ranks()*ampere.Rank), k.Mul(board, write.Int(k.Board())))
	// Lane 8q+i has row i of matrix q.
	matrix, file := k.divide(lane, 8)
	octet, rank := k.divide(matrix, 2)
	row := k.Add(k.MulAdd(octet, write.Int(ampere.Plane), k.MulAdd(rank, write.Int(k.Ranks()/2*ampere.Rank), file)), start)
	to := k.MulAdd(group, write.Int(k.Outputs()/8*ampere.Plane), k.Add(start, write.Int(ampere.First)))
	for b := range 2 {
		at := k.Add(k.shared, write.Int(k.Buffer(b)))
		k.reads[b] = k.MulAdd(row, write.Int(ampere.Unit), at)
		k.writes[b] = k.MulAdd(lane, write.Int(4), k.MulAdd(to, write.Int(ampere.Unit), at))
	}
	_, quarter := k.divide(lane, 4)
	first := k.MulAdd(quarter, write.Int(2), k.output)
	biases := k.Add(k.shared, write.Int(k.Biases()))
	k.boardBias = k.MulAdd(k.MulAdd(board, write.Int(k.Channels), first), write.Int(4), biases)
	_, output := k.divide(k.thread, k.Channels)
	k.second = k.Beyond(k.biases, output, 4)
	k.Skip(k.second, write.Int(2*k.Channels*4))
	k.biases = k.Beyond(k.biases, first, 4)
	k.Advance(k.weights, group, write.Int(k.Outputs()*ampere.Depth*2))
	k.Advance(k.weights, lane, 16)
	k.sums, k.bias = k.F32s(k.Ranks()*k.Outputs()/4), k.F32s(k.Outputs()/4)
}

// clear sets both buffers to zero.
func (k *network) clear() {
	k.Note("zeros")
	zero := k.Copy(write.Int(0))
	at, end := k.MulAdd(k.thread, write.Int(16), k.shared), k.Add(k.shared, write.Int(k.Buffer(2)))
	again := k.Label("clear")
	k.Place(again)
	k.Write16(at, 0, []write.U32{zero, zero, zero, zero})
	k.Increase(at, write.Int(16*ampere.Threads))
	k.JumpIf(k.Less(at, end), again)
	k.Sync(everyone, ampere.Threads)
}

// expand writes the planes of the positions to buffer 1, a square a thread.
func (k *network) expand() {
	k.Note("planes")
	k.If(k.Less(k.thread, write.Int(64*k.Boards)), func() {
		board, square := k.divide(k.thread, 64)
		rank, file := k.divide(square, 8)
		unit := k.MulAdd(board, write.Int(k.Board()), k.MulAdd(rank, write.Int(ampere.Rank), file))
		at := k.MulAdd(unit, write.Int(ampere.Unit), k.Add(k.shared, write.Int(k.Buffer(1)+ampere.First*ampere.Unit)))
		number, bit := k.MulAdd(k.Group(), write.Int(k.Boards), board), k.And(square, write.Int(31))
		position := source.PositionOf(k.Kernel, k.positions, number, square, bit)
		for octet := range hopper.Planes / 8 {
			k.Write16(at, write.Int(octet*ampere.Plane*ampere.Unit), position.Octet(octet))
		}
	})
	k.Sync(everyone, ampere.Threads)
}
