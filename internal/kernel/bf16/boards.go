package bf16

import "unsafe"

// Boards is the memory of the activations of up to a number of boards. All but the last of
// an odd number of boards go through in pairs, because a tile of 16 rows is one rank of two
// boards; the last one then goes through alone, in tiles of 8 rows.
//
// A pair has the layout [rank 8][column 9][board 2][channel], and one more column at the
// end. Column 0 of a rank is zero. It stands for the squares beside the board, on both
// sides, and file f is column f+1. So the inputs of a tile are always 16 rows at the same
// distance, whatever the tap. A board alone has the same layout, with one board.
//
// The channels are padded to a multiple of 32. If at most 16 are left over from such a
// multiple, half of the last tile of inputs is free. It holds a copy of the left channels of
// the next column, so that a convolution multiplies them for two taps at once. Otherwise the
// padding is zero.
type Boards struct {
	channels int // with padding
	pairs    []uint16
	alone    []uint16
	doubled  bool // whether the left channels are there twice
}

const (
	step    = 32            // input channels of a tile
	width   = 16            // output channels of a tile
	columns = 9             // of a rank
	size    = 8*columns + 1 // columns of a board
)

func roundUp(n, to int) int { return (n + to - 1) / to * to }

// NewBoards returns memory for the given number of boards, all zero.
func NewBoards(boards, channels int) *Boards {
	c := roundUp(channels, step)
	return &Boards{c, aligned[uint16](boards / 2 * 2 * size * c), aligned[uint16](size * c), doubled(channels)}
}

// doubled reports whether boards with the given number of channels hold the left channels twice.
func doubled(channels int) bool { return channels%step > 0 && channels%step <= step/2 }

// part is boards of a batch that are side by side: all its pairs, or the one alone.
type part struct {
	first  int // of its boards in the batch
	boards int // side by side, 2 or 1
	groups int // of so many boards
}

// parts returns the parts of a batch of n boards.
func parts(n int) [2]part { return [2]part{{0, 2, n / 2}, {n &^ 1, 1, n & 1}} }

// of returns the memory of a part.
func (b *Boards) of(p part) []uint16 {
	if p.boards == 2 {
		return b.pairs[:p.groups*2*size*b.channels]
	}
	return b.alone
}

// zeros returns the memory from the column of zeros of board i of n, and the distance between
// columns.
func (b *Boards) zeros(i, n int) (memory []uint16, square int) {
	if i == n-1 && n%2 == 1 {
		return b.alone, b.channels
	}
	pair := b.pairs[i/2*2*size*b.channels:][:2*size*b.channels]
	return pair[i%2*b.channels:], 2 * b.channels
}

// board returns the memory from the first square of board i of n, and the distance between
// squares.
func (b *Boards) board(i, n int) (memory []uint16, square int) {
	memory, square = b.zeros(i, n)
	return memory[square:], square
}

// Set rounds x, [64][channels], to board i of n.
func (u *Unit) Set(b *Boards, i, n int, x []float32, channels int) {
	y, square := b.board(i, n)
	u.narrow(y, x[:64*channels], channels, square)
	if b.doubled {
		y, _ = b.zeros(i, n)
		u.double(y[b.channels-step:], size-1, square, square)
	}
}

// Pool sets mean and most to the means and the maxima of the channels of board i of n over
// its squares. Channels must not be negative. Both have space for all channels with padding.
func (u *Unit) Pool(mean, most []float32, b *Boards, i, n int) {
	x, square := b.board(i, n)
	u.pool(mean[:b.channels], most[:b.channels], x, square)
}

// aligned returns memory that starts at a multiple of 1024 bytes, which the assembly relies on
// for sums. Rows of tiles that each fill a line of the cache are faster.
func aligned[T any](n int) []T {
	const boundary = 1024
	var zero T
	each := int(unsafe.Sizeof(zero))
	s := make([]T, n+boundary/each)
	skip := int(-uintptr(unsafe.Pointer(&s[0]))%boundary) / each
	return s[skip:][:n:n]
}
