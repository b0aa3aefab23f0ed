package hoppertest

import (
	"math"
	"math/rand/v2"

	"warren/internal/compute/kernels/hopper"
)

// Link is a convolution of a chain for learning, with its result. All numbers are whole.
type Link struct {
	Weights   []float32 // [9][in][out] of the forward pass
	Bias      []float32
	BoardBias []float32 // [board][channels], or nil
	Residual  bool
	Mask      []float32 // [board][64][channels] of the backward pass, or nil

	Result []float32 // [board][64][channels]
	Sums   []float32 // over each board, if there is a mask
}

// Links computes a chain of count convolutions of random boards, which begins with the first convolution of
// a residual block, or with the second. The first of
// the second ones has a bias for each board. In the backward pass
// the last one has no mask, if it has no residual.
func Links(c hopper.Chain, boards, count int, second bool, seed uint64) (x, residual []float32, links []Link) {
	rng := rand.New(rand.NewPCG(seed, 4))
	fill := func(n, one, low, high int) []float32 {
		v := make([]float32, n)
		for i := range v {
			if rng.IntN(one) == 0 {
				v[i] = float32(low + rng.IntN(high-low+1))
			}
		}
		return v
	}
	size, low := boards*64*c.Channels, 0
	if c.Back {
		low = -3
	}
	x = fill(size, 1, low, 3)
	residual = x
	if second {
		residual = fill(size, 1, low, 3)
	}
	in, kept := x, residual
	for i := range count {
		l := Link{Weights: fill(9*c.Channels*c.Channels, c.Channels, -1, 1), Residual: (i%2 == 1) != second}
		switch {
		case !c.Back:
			l.Bias = fill(c.Channels, 1, -3, 3)
			if l.Residual && i < 2 {
				l.BoardBias = fill(boards*c.Channels, 1, -9, 9)
			}
		case l.Residual || i < count-1:
			l.Mask = fill(size, 2, 0, 3)
		}
		l.compute(c, in, kept)
		in = l.Result
		if l.Residual {
			kept = l.Result
		}
		links = append(links, l)
	}
	return x, residual, links
}

// compute computes the result, rounded to bf16, and the sums.
func (l *Link) compute(c hopper.Chain, x, residual []float32) {
	n := c.Channels
	l.Result = make([]float32, len(x))
	for square := range len(x) / n {
		for tap := range 9 {
			rank, file := square%64/8+tap/3-1, square%8+tap%3-1
			if rank < 0 || rank > 7 || file < 0 || file > 7 {
				continue
			}
			near := square/64*64 + rank*8 + file
			for i := range n {
				for o, w := range l.Weights[(tap*n+i)*n:][:n] {
					switch {
					case w == 0:
					case c.Back: // the inputs near a square have a part in its result
						l.Result[near*n+i] += x[square*n+o] * w
					default:
						l.Result[square*n+o] += x[near*n+i] * w
					}
				}
			}
		}
	}
	if l.Mask != nil {
		l.Sums = make([]float32, len(x)/64)
	}
	for i := range l.Result {
		v, board, channel := &l.Result[i], i/n/64, i%n
		if l.Residual {
			*v += residual[i]
		}
		if l.Bias != nil {
			*v += l.Bias[channel]
		}
		if l.BoardBias != nil {
			*v += l.BoardBias[board*n+channel]
		}
		if l.Mask != nil && l.Mask[i] == 0 || !c.Back && *v < 0 {
			*v = 0
		}
		*v = FromBrains(Brains([]float32{*v}))[0]
		if l.Sums != nil {
			l.Sums[board*n+channel] += *v
		}
	}
}

// Brains returns numbers in bf16, and FromBrains the numbers.
func Brains(v []float32) []byte {
	var b []byte
	for _, f := range v {
		bits := math.Float32bits(f)
		bits += 0x7fff + bits>>16&1
		b = append(b, byte(bits>>16), byte(bits>>24))
	}
	return b
}

func FromBrains(b []byte) []float32 {
	v := make([]float32, len(b)/2)
	for i := range v {
		v[i] = math.Float32frombits(uint32(b[2*i])<<16 | uint32(b[2*i+1])<<24)
	}
	return v
}
