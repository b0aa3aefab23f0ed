package hopper

import (
	"fmt"

	"warren/internal/compute/kernels"
)

// Chain is the kernel for learning that computes convolutions one after the other, of which each
// reads the result of the one before, in one launch. All have as many outputs as inputs. Numbers
// are in bf16 and sums in fp32. A group of threads keeps its boards in shared memory, as a
// Tower's does, and also writes every result to global memory.
//
// Its parameters are the addresses x, mask, weights, numbers, boardBias, pooled, products and steps, the
// places xAt and residualAt, and the numbers boards and count. Boards are [board][64][channels], at places in
// units of 16 bytes in x or in mask. The first convolution reads the boards at xAt. Steps has StepSize
// numbers of 32 bits for each of count convolutions: the place of its weights in units, a place in
// numbers, the places of its result in x and of its mask, and flags. What Residual first adds lies at
// residualAt; a result with Residual is what the next one adds.
//
// In the forward pass a step adds its bias, which lies in numbers, and perhaps a bias for each
// board, [board][channels], and ends with a ReLU. In the backward pass the gradient by a
// convolution's input is the convolution with reversed taps of the gradient by its result. With
// Masked the step ends with the gradient of a ReLU, whose result is the mask, and the sums over each
// board, [board][channels], are written to numbers.
//
// The means and maxima of one result of a chain, [board][2*channels] in fp32, can make the bias for each
// board of the next, PlusProduct. The first place for Pooled is that of the weights of their product,
// [2*channels][channels], and its bias, in products. In the forward pass, Pooled writes the means and
// maxima to pooled. In the backward pass only the first step of a chain can be Pooled. It adds the gradient by
// the means and maxima. The sums over each board of what the chain reads are at the second place in numbers.
type Chain struct {
	Channels int
	Each     int  // boards of a set
	Back     bool // the backward pass
}

// Flags of a step.
const (
	Residual    = 1 << iota // adds the residual, and the result is the next
	PlusBoard               // adds a bias for each board
	Masked                  // ends with the gradient of a ReLU
	Pooled                  // the next step of the forward pass has a bias from the means and maxima of its result
	PlusProduct             // adds that bias
	StepSize    = 8         // numbers of a step
)

// ChainOf returns the kernels for a number of channels and boards of a minibatch: those of the
// forward pass, with Back false. It reports false if there are none.
func ChainOf(channels, boards, units int) (Chain, bool) {
	few, many := Chain{Channels: channels, Each: 2}, Chain{Channels: channels, Each: 4}
	switch channels {
	case 64:
		few.Each = 1
	case 128:
	case 256:
		return few, true
	default:
		return Chain{}, false
	}
	// A group takes as long as it has boards, of which few cost more each, because weights are
	// fetched for fewer.
	time := func(c Chain) int { return (c.Groups(boards) + units - 1) / units * c.Boards() }
	if 5*time(few) < 4*time(many) {
		return few, true
	}
	return many, true
}

// Chains are all kernels, the backward pass of each after its forward pass.
func Chains() (all []Chain) {
	for _, c := range []Chain{{64, 4, false}, {64, 1, false}, {128, 4, false}, {128, 2, false}, {256, 2, false}} {
		back := c
		back.Back = true
		all = append(all, c, back)
	}
	return all
}

// Kernel is the name of the kernel.
func (c Chain) Kernel() string {
	if c.Back {
		return fmt.Sprintf("backward%dx%d", c.Channels, c.Each)
	}
	return fmt.Sprintf("forward%dx%d", c.Channels, c.Each)
}

// Sets is the number of sets of boards, as a Tower's.
func (c Chain) Sets() int { return max(1, 128/c.Channels) }

// Tiles is the number of times that a warpgroup has Rows outputs.
func (c Chain) Tiles() int { return c.Channels * c.Sets() / (2 * Rows) }

// Boards is the number of boards of a group of threads.
func (c Chain) Boards() int { return c.Sets() * c.Each }

// Groups is the number of groups for a minibatch.
func (c Chain) Groups(boards int) int { return (boards + c.Boards() - 1) / c.Boards() }

// Ranks, Octet and First are those of a set, in units.
func (c Chain) Ranks() int { return c.Each * Rank }
func (c Chain) Octet() int { return 9 * c.Ranks() }
func (c Chain) First() int { return c.Ranks() + 1 }

// Steps returns the number of stages of a convolution for Rows outputs.
func (c Chain) Steps() int { return c.Channels / Depth * 3 }

// Slots is the number of stages in a ring, a power of two.
func (c Chain) Slots() int {
	if c.Each == 4 || c.Tiles() > 1 {
		return 4
	}
	return 8
}

// Rings is the number of rings: one for each warpgroup, or one for both, which saves traffic where
// few boards make it the limit.
func (c Chain) Rings() int {
	if c.Sets() == 2 && c.Each < 4 {
		return 1
	}
	return 2
}

// Activations returns the bytes of a set of boards in shared memory.
func (c Chain) Activations() int { return ((c.Channels/8*c.Octet()+c.First()+1)*Unit + 127) &^ 127 }

// Buffer is the place of one of two buffers of activations.
func (c Chain) Buffer(b int) int { return b * c.Sets() * c.Activations() }

// Ring is the place of the rings, Barriers that of their barriers, and Turn that of the barrier at which
// the second ring waits before it begins.
func (c Chain) Ring() int     { return c.Buffer(2) }
func (c Chain) Barriers() int { return c.Ring() + c.Rings()*c.Slots()*Stage }
func (c Chain) Turn() int     { return c.Barriers() + c.Rings()*2*c.Slots()*8 }

// Pool is the place of the means and maxima of a set, [2*channels][Each] in fp32, or of the gradients by them.
// Products is that of what the means, and the maxima, add to the next biases, [2][Each][channels], or of the
// sums of gradients, and of the maxima.
func (c Chain) Pool() int     { return c.Turn() + 16 }
func (c Chain) Products() int { return c.Pool() + c.Sets()*c.PoolSize() }

// PoolSize is the bytes of a set at either place.
func (c Chain) PoolSize() int { return 2 * c.Channels * c.Each * 4 }

// Shared returns the bytes of shared memory.
func (c Chain) Shared() int { return c.Products() + c.Sets()*c.PoolSize() }

// PackKernel is the name of the kernel that packs weights for chains. Its parameters are the
// addresses weights, packed and layers. Weights are [9 taps][channels][channels] in fp32. Layers has
// LayerSize numbers of 32 bits for each convolution: the place of its weights, that of the packed ones
// in units, and 1 for the backward pass, in which inputs are outputs. The grid has PackGroups groups of
// PackThreads for a convolution in x, and the convolutions in y.
func (c Chain) PackKernel() string { return fmt.Sprintf("packChain%d", c.Channels) }

// Sizes of PackKernel.
const (
	PackThreads = Block / Unit
	LayerSize   = 4
)

// PackGroups is the number of groups that pack a convolution, and of products in it.
func (c Chain) PackGroups() int { return 3 * c.Steps() * c.Channels / Rows }

// Packed is the size of packed weights in units.
func (c Chain) Packed() int { return c.PackGroups() * PackThreads }

// PTX returns a module with the kernels of both passes for as many channels and boards of a set, and the
// one that packs their weights.
func (c Chain) PTX() ([]byte, error) {
	return kernels.Load(files, c.file(), c.Kernel())
}

func (c Chain) file() string { return fmt.Sprintf("chain%dx%d.ptx.gz", c.Channels, c.Each) }
