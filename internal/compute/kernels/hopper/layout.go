// Package hopper contains the kernels for devices of compute capability 9.0, which compute the
// residual blocks of a network, or all of it up to its heads, in one launch, and the layouts that
// they share with those who call them. Package source writes them.
//
// A group of threads keeps its boards in shared memory through all blocks. Of four boards that a
// warpgroup works on, 8 channels of a square are a unit of 16 bytes, the 8 units of a rank are a
// matrix as wgmma reads it, and the ranks of all four boards follow one another with a unit of
// zeros after each. Octets of channels follow with a rank of zeros between them. So the squares
// next to all squares are the same matrices at another address, and a convolution is a sum of nine
// products.
//
// A warp for each warpgroup copies weights (cp.async.bulk), 16 channels and three taps at a time, into
// a ring of four stages. The second ring begins eight stages later, so that one warpgroup multiplies
// while the other adds biases and residuals. In single runs on an H200 that gained 0.4 to 4%. Sums get
// the bias, the residual and the ReLU in registers, and stmatrix stores them in fp16. The residual
// stays in registers; with 256 channels it is in global memory. For pooled blocks two warps multiply
// means and maxima by their matrix while the others begin the second convolution, whose bias that is.
//
// A group of threads fills a multiprocessor, so a batch of 4 takes as long as one of 528 on 132
// multiprocessors (with 64 channels, 1,056).
package hopper

import "fmt"

// Units of 16 bytes in shared memory, each 8 channels of a square.
const (
	Rank  = 9                // units from a rank of a board to the same rank of the next board
	Ranks = 4 * Rank         // to the next rank of the same board
	Octet = 9 * Ranks        // to the next 8 channels
	First = Ranks + 1        // before the first square: a rank of zeros and a unit
	Unit  = 16               // bytes
	Depth = 16               // channels of a product
	Rows  = 64               // outputs of a product
	Block = Rows * Depth * 2 // bytes of the weights of a product
	Stage = 3 * Block        // bytes of the weights that are copied together: of three files
)

// Tower is the kernel for networks of a number of channels. Its parameters are the addresses x, y,
// weights, biases and pool, and the numbers boards, blocks and every. Boards in x and y are
// [64][channels] in fp16; y may be x. Weights are of Pack, one convolution after the other, and
// biases [2*blocks][channels] in fp32. Block i, counted from 0, has a bias from means and maxima if
// every divides i+1; then the bias of its second convolution includes that of the product, whose
// weights, [2*channels][channels] in fp16, are the next in pool. With 256 channels the kernel also
// writes to y behind the last board, up to a multiple of four boards.
type Tower struct {
	Kernel   string // its name
	Channels int
	Boards   int // boards of a group of threads
	// Whole is the kernel of Network or InBytes, and Bytes that of InBytes.
	Whole, Bytes bool
}

// PerUnit is the number of channels of a unit.
func (t Tower) PerUnit() int {
	if t.Bytes {
		return 16
	}
	return 8
}

// Network returns the kernel that computes the stem before the blocks and the layers that read them
// after. It has the parameters positions, y, scratch, weights, biases, pool, boards, blocks, every
// and width. A position is Planes masks of squares in 64 bits and as many values in fp32. y is
// [64][width] in fp16 of each board, where width is at most Rows and a multiple of 8: what the
// products of FirstLayers make of the blocks' result, with bias and ReLU. Weights and biases begin
// with those of the stem, of PackStem, and end with those of the first layers, of PackFirst, whose
// biases are Rows numbers. With 256 channels, scratch has 64*channels*2 bytes for each board, for
// boards up to a multiple of four; with fewer it is not used.
func (t Tower) Network() Tower {
	t.Kernel, t.Whole = fmt.Sprintf("network%d", t.Channels), true
	return t
}

// InBytes returns the kernel of Network whose blocks multiply whole numbers of 8 bits. Their sums have 32
// and are exact. A unit is 16 channels of a square: channels 0, 8, 1, 9 and so on, from 0 to 255. The blocks'
// weights are of PackBytes. The driver must be one for CUDA 12.4 (550) or later.
//
// After biases it has the parameter scales, in fp32: [channels], and of each block four times [channels].
// The first are the steps per 1 that the stem's result is rounded to. Those of a block are what a sum of the
// first convolution is multiplied by, the step of its result, what a sum of the second is multiplied by, and
// the steps per 1 that its result is rounded to for the next block. The first convolution's scale and bias
// are in steps of its result, of which means and maxima are made. The second's are in 1s, as the residual
// is, which stays in fp16.
func (t Tower) InBytes() Tower {
	t = t.Network()
	t.Kernel, t.Bytes = fmt.Sprintf("bytes%d", t.Channels), true
	return t
}

// The input of a network.
const (
	Planes    = 40
	Position  = Planes * 12                      // bytes
	StemSteps = (Planes + Depth - 1) / Depth * 3 // stages of a pass of the stem
)

// stemOctets is the number of octets of planes, with zeros, that the stem reads.
const stemOctets = StemSteps / 3 * 2

// FirstStage is the number of bytes of a stage of the first layers' weights, for 32 channels.
const FirstStage = 2 * Block

// FirstSteps returns the number of those stages.
func (t Tower) FirstSteps() int { return t.Channels / (2 * Depth) }

// TowerOf returns the tower of a number of channels. It reports false if there is none.
func TowerOf(channels int) (Tower, bool) {
	t := Tower{Kernel: fmt.Sprintf("tower%d", channels), Channels: channels, Boards: 4}
	switch channels {
	case 64:
		t.Boards = 8
	case 128, 256:
	default:
		return Tower{}, false
	}
	return t, true
}

// Threads is the number of threads of a group: two warpgroups that multiply, and one that fetches
// weights and prepares biases.
const Threads = 384

// Stages is the number of stages in a warpgroup's ring, a power of two.
const Stages = 4

// Sets is the number of sets of four boards that a group of threads works on: with 64 channels one
// for each warpgroup, with more a single one, of which each warpgroup computes half of the outputs.
func (t Tower) Sets() int { return t.Boards / 4 }

// Outputs is the number of outputs that a warpgroup computes.
func (t Tower) Outputs() int { return t.Channels * t.Sets() / 2 }

// Passes is the number of times that a warpgroup reads its boards in a convolution, each for Rows of
// its outputs.
func (t Tower) Passes() int { return t.Outputs() / Rows }

// Steps returns the number of stages of a pass: for each two units of channels, one for each of three
// ranks.
func (t Tower) Steps() int { return t.Channels / (2 * t.PerUnit()) * 3 }

// Activations returns the bytes of a set of boards in fp16 in shared memory. In bytes, both buffers of the
// set take as much, with 64 channels a little more, and their zeros are where they are in fp16.
func (t Tower) Activations() int {
	octets := t.Channels / 8
	if t.Bytes {
		octets = max(octets, t.Channels/16+stemOctets) // the stem reads planes in fp16 from buffer 1
	}
	units := octets*Octet + First + 1
	return (units*Unit + 127) &^ 127
}

// Buffers is the number of buffers of activations. Of two, a convolution reads one and writes the
// other. With 256 channels there is room for one, which it overwrites at its end.
func (t Tower) Buffers() int {
	if t.Passes() > 1 && !t.Bytes {
		return 1
	}
	return 2
}

// Buffer is the place in shared memory of the buffer that first (0) or second (1) convolutions read, of
// the first set.
func (t Tower) Buffer(b int) int {
	if t.Bytes {
		return b * t.Channels / t.PerUnit() * Octet * Unit
	}
	return b % t.Buffers() * t.Sets() * t.Activations()
}

// Ring is the place of the first warpgroup's ring of weights, which the other's follows.
func (t Tower) Ring() int {
	if t.Bytes {
		return t.Sets() * t.Activations()
	}
	return t.Buffers() * t.Sets() * t.Activations()
}

// Barriers is the place of the rings' barriers: of each warpgroup, those of full stages and those of
// empty ones.
func (t Tower) Barriers() int { return t.Ring() + 2*Stages*Stage }

// Turn is the place of the barrier at which the second warpgroup's ring waits before it begins.
func (t Tower) Turn() int { return t.Barriers() + 2*2*Stages*8 }

// Pooled is the place of the means and maxima, [set][2*channels][4 boards] in fp32.
func (t Tower) Pooled() int { return t.Turn() + 16 }

// Biases is the place of the biases of a second convolution, [set][4 boards][channels] in fp32.
func (t Tower) Biases() int { return t.Pooled() + t.Sets()*2*t.Channels*4*4 }

// Shared returns the bytes of shared memory.
func (t Tower) Shared() int { return t.Biases() + t.Sets()*4*t.Channels*4 }
