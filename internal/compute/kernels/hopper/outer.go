package hopper

// Outer is the kernel for the gradients by the weights of convolutions. Its parameters are the
// addresses x, g, parts, segments and firsts. X has the inputs of layers and g the gradients by their
// results, as boards [64][channels] in bf16. Group i of threads computes the segments from firsts[i]
// up to firsts[i+1].
//
// A segment, of SegmentNumbers numbers in 32 bits, is of at most 64 inputs and 64 outputs of a layer
// over some boards. They are: where its first board is in x, in units of 16 bytes, with the first of
// the inputs; the units of a square there, and how many of them are inputs; the same three of g; the
// number of boards, at least one; and where the sums go, in parts, in units of Square numbers. The
// sums are [9 taps][64 inputs][64 outputs] in fp32. Behind the inputs and outputs they have no
// meaning.
//
// Of a board in shared memory, 8 channels of a square are a unit and the squares of a rank follow one
// another, so a rank is a matrix as wgmma reads it with the squares as the index of the sum. Inputs
// have a unit of zeros after each rank, and octets of channels a rank of zeros between them: the
// squares next to all squares are the same matrices at another address.
const Outer = "outerHopper"

// SegmentNumbers is the length of a segment.
const SegmentNumbers = 8

// Square is the number of weights of a tap.
const Square = 64 * 64

// Units of a board in shared memory. An octet of inputs or of gradients is a rank and a unit longer
// than a multiple of 8, so that the squares' copies do not meet in a bank.
const (
	InputRank     = 9
	InputOctet    = 9 * InputRank
	InputFirst    = InputRank + 1 // before the first square
	inputs        = 8*InputOctet + InputFirst
	GradientOctet = 65
	gradients     = 8 * GradientOctet
	Gradients     = inputs // where they begin
	Slot          = (inputs + gradients) * Unit
)

// OuterThreads is the number of threads of Outer: three warpgroups, each for the taps of a rank, and
// one of which two warps fetch inputs and gradients.
const OuterThreads = 4 * 128

// Slots is the number of boards in shared memory, and Fetched of those that are on their way.
const (
	Slots   = 12
	Fetched = 6
)

// OuterBarriers is the place of the barriers of full slots, which those of empty ones follow.
const OuterBarriers = Slots * Slot

// OuterShared is the bytes of shared memory.
const OuterShared = OuterBarriers + 2*Slots*8
