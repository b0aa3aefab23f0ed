// Package ampere contains the kernels for NVIDIA devices that multiply by mma.sync: compute capability
// 8.0 and later without wgmma. A launch computes a network up to its heads. The package also has the
// layouts that the kernels share with those who call them. Package source writes them.
//
// A group of 256 threads keeps its boards in shared memory through all layers: four with 64 channels, two
// with 128, one with 256. 8 channels of a square are a unit of 16 bytes. A unit of zeros follows each
// rank, and a rank of zeros each 8 channels of a board. So the squares next to all squares are the same
// rows at another address, which ldmatrix reads. A convolution reads one of two buffers and writes the
// other. The second of a block adds the residual where it lies and writes its result over it.
//
// A warp computes 32 outputs of a board. It loads their weights into registers three taps ahead; warps
// with other boards find them in the first-level cache. Nothing but the end of a layer needs a barrier, and
// only for the warps of a board. Shared memory would have no room for a ring of weights with 256 channels.
//
// Products are added in the order of the kernels that compute a convolution a launch, so both have the
// same bits. For small batches there are kernels with one board a group, likewise.
package ampere

import (
	"fmt"

	"warren/internal/compute/kernels/hopper"
)

// Units of 16 bytes in shared memory, each 8 channels of a square.
const (
	Unit  = 16       // bytes
	Rank  = 9        // units from a rank to the next
	Plane = 9 * Rank // to the next 8 channels, or from the last ones of a board to the next board
	First = Rank + 1 // before the first square
	Depth = 16       // channels of a product
)

// Slices is the number of times Depth of a position's planes. The last has zeros.
const Slices = (hopper.Planes + Depth - 1) / Depth

// Threads is the number of threads of a group, Warps that of its warps.
const (
	Warps   = 8
	Threads = 32 * Warps
)

// Network is a kernel for networks of a number of channels. Its parameters are the addresses positions, y,
// weights, biases and products, and the numbers blocks, every and width. Positions, as package hopper has them,
// and y have a multiple of Boards. y is [64][width] in fp16 of each board, where width is at most Channels and a multiple of 8: what
// the products of the heads' first layers make of the last block's result, with bias and ReLU.
//
// Weights are those of Pack for the stem and for all convolutions, and those of PackFirst. Biases are
// [channels] in fp32 of the same layers. Block i, counted from 0, has a bias from means and maxima if every
// divides i+1; then the bias of its second convolution includes that of the product, whose weights,
// [2*channels][channels] in fp32, are the next in products.
type Network struct {
	Channels int
	Boards   int // of a group of threads
}

// NetworkOf returns the kernel for large batches with a number of channels. It reports false if there is
// none.
func NetworkOf(channels int) (Network, bool) {
	switch channels {
	case 64, 128, 256:
		return Network{channels, 256 / channels}, true
	}
	return Network{}, false
}

// few returns the kernel for small batches, which may be the same.
func (n Network) few() Network { return Network{n.Channels, 1} }

// Kernels returns the kernel for large batches and that for small ones, if it is another.
func (n Network) Kernels() []Network {
	if few := n.few(); few != n {
		return []Network{n, few}
	}
	return []Network{n}
}

// For returns the kernel that takes less time for a batch on a device with a number of multiprocessors.
func (n Network) For(batch, units int) Network {
	// A group takes as long as it has boards. One of few boards takes somewhat longer for each.
	time := func(n Network) int { return (n.Groups(batch) + units - 1) / units * n.Boards }
	if few := n.few(); 5*time(few) < 4*time(n) {
		return few
	}
	return n
}

// Groups is the number of groups of threads for a batch.
func (n Network) Groups(batch int) int { return (batch + n.Boards - 1) / n.Boards }

// Kernel is the name of the kernel.
func (n Network) Kernel() string { return fmt.Sprintf("ampere%dx%d", n.Channels, n.Boards) }

// Outputs is the number of outputs that a warp computes.
func (n Network) Outputs() int {
	if n.Channels*n.Boards == 256 {
		return 32
	}
	return 16
}

// Ranks is the number of ranks of a board for which a warp computes them.
func (n Network) Ranks() int { return n.Channels * n.Boards / n.Outputs() }

// Board is the number of units of a board in shared memory.
func (n Network) Board() int { return n.Channels / 8 * Plane }

// Stage is the bytes of the weights of a tap of Depth inputs.
func (n Network) Stage() int { return n.Channels * Depth * 2 }

// Buffer is the place of a buffer of boards in shared memory, 0 or 1.
func (n Network) Buffer(b int) int { return b * (n.Boards*n.Board() + First) * Unit }

// Pooled is the place of means and maxima, [board][2*channels] in fp32, and Biases that of what they make,
// [board][channels].
func (n Network) Pooled() int { return n.Buffer(2) }
func (n Network) Biases() int { return n.Pooled() + n.Boards*2*n.Channels*4 }

// Shared returns the bytes of shared memory of a group.
func (n Network) Shared() int { return n.Biases() + n.Boards*n.Channels*4 }
