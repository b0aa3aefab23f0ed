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
	// Product is the weights, [2*channels][channels], and the bias of the product of means and maxima. In the
	// forward pass those are of the result, and in the backward pass of the mask. It may be nil.
	Product []float32

	Result []float32 // [board][64][channels]
	Sums   []float32 // over each board, if there is a mask
	Pooled []float32 // [board][2*channels] means and maxima, if there is a product
}

// Links computes a chain of count convolutions of random boards, which begins with the first convolution of
// a residual block, or with the second. If there is one more, the first of a block is pooled, in the backward
// pass if the chain begins with it. If the chain begins with the second, that has a bias for each board. In the
// backward pass the last one has no mask, if it has no residual and is not pooled.
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
	var added []float32 // to the next one, for each board
	for i := range count {
		l := Link{Weights: fill(9*c.Channels*c.Channels, c.Channels, -1, 1), Residual: (i%2 == 1) != second}
		switch {
		case !c.Back:
			l.Bias = fill(c.Channels, 1, -3, 3)
			if l.Residual && i == 0 {
				l.BoardBias = fill(boards*c.Channels, 1, -9, 9)
			}
		case l.Residual || i < count-1:
			l.Mask = fill(size, 2, 0, 3)
		}
		if !l.Residual && i < count-1 && (i == 0 || !c.Back && i == 1) {
			l.Product = append(fill(2*c.Channels*c.Channels, c.Channels/2, -1, 1), fill(c.Channels, 1, -3, 3)...)
		}
		l.compute(c, in, kept, added)
		added = nil
		if l.Product != nil && !c.Back {
			added = l.product(c)
		}
		in = l.Result
		if l.Residual {
			kept = l.Result
		}
		links = append(links, l)
	}
	return x, residual, links
}

// compute computes the result, rounded to bf16, and the sums.
func (l *Link) compute(c hopper.Chain, x, residual, added []float32) {
	n := c.Channels
	l.Result = make([]float32, len(x))
	l.convolve(c, x)
	if c.Back && l.Product != nil {
		l.plusPool(c, x)
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
		for _, b := range [][]float32{l.BoardBias, added} {
			if b != nil {
				*v += b[board*n+channel]
			}
		}
		if l.Mask != nil && l.Mask[i] == 0 || !c.Back && *v < 0 {
			*v = 0
		}
		*v = FromBF16(ToBF16([]float32{*v}))[0]
		if l.Sums != nil {
			l.Sums[board*n+channel] += *v
		}
	}
}

// convolve adds the products, of which most are 0.
func (l *Link) convolve(c hopper.Chain, x []float32) {
	n := c.Channels
	for at, w := range l.Weights {
		if w == 0 {
			continue
		}
		tap, i, o := at/n/n, at/n%n, at%n
		for square := range len(x) / n {
			rank, file := square%64/8+tap/3-1, square%8+tap%3-1
			if rank < 0 || rank > 7 || file < 0 || file > 7 {
				continue
			}
			near := square/64*64 + rank*8 + file
			if c.Back { // the inputs near a square have a part in its result
				l.Result[near*n+i] += x[square*n+o] * w
			} else {
				l.Result[square*n+o] += x[near*n+i] * w
			}
		}
	}
}

// pool computes means and maxima of boards, [board][2*channels].
func pool(n int, x []float32) (pooled []float32) {
	for ; len(x) > 0; x = x[64*n:] {
		v := make([]float32, 2*n)
		copy(v[n:], x)
		for i, f := range x[:64*n] {
			v[i%n] += f / 64
			v[n+i%n] = max(v[n+i%n], f)
		}
		pooled = append(pooled, v...)
	}
	return pooled
}

// product returns what means and maxima of the result make, [board][channels].
func (l *Link) product(c hopper.Chain) (y []float32) {
	n := c.Channels
	l.Pooled = pool(n, l.Result)
	for x := l.Pooled; len(x) > 0; x = x[2*n:] {
		row := append([]float32(nil), l.Product[2*n*n:]...)
		for i, v := range x[:2*n] {
			for o, w := range l.Product[i*n:][:n] {
				row[o] += v * w
			}
		}
		y = append(y, row...)
	}
	return y
}

// plusPool adds the gradients by means and maxima, of which a maximum is the first of equal ones.
func (l *Link) plusPool(c hopper.Chain, x []float32) {
	n := c.Channels
	l.Pooled = pool(n, l.Mask)
	for b := range len(x) / 64 / n {
		mask, result := l.Mask[b*64*n:][:64*n], l.Result[b*64*n:][:64*n]
		sums := Sums(n, x)[b*n:][:n]
		for i := range 2 * n {
			gradient := float32(0)
			for o, s := range sums {
				gradient += s * l.Product[i*n+o]
			}
			for square := range 64 {
				at := square*n + i%n
				if i < n {
					result[at] += gradient / 64
				} else if mask[at] == l.Pooled[b*2*n+i] {
					result[at] += gradient
					break
				}
			}
		}
	}
}

// Sums returns sums over boards, [board][channels].
func Sums(n int, x []float32) []float32 {
	sums := make([]float32, len(x)/64)
	for i, v := range x {
		sums[i/n/64*n+i%n] += v
	}
	return sums
}

// ToBF16 returns numbers in bf16, and FromBF16 the numbers.
func ToBF16(v []float32) []byte {
	var b []byte
	for _, f := range v {
		bits := math.Float32bits(f)
		bits += 0x7fff + bits>>16&1
		b = append(b, byte(bits>>16), byte(bits>>24))
	}
	return b
}

func FromBF16(b []byte) []float32 {
	v := make([]float32, len(b)/2)
	for i := range v {
		v[i] = math.Float32frombits(uint32(b[2*i])<<16 | uint32(b[2*i+1])<<24)
	}
	return v
}
