package hopper

import (
	"math"
	"slices"
	"sync"

	"warren/internal/compute/kernels"
)

// Bytes is a number of residual blocks in whole numbers of 8 bits, for the kernels of InBytes. Every rounding
// is specified: Run computes the bits that a kernel must give.
type Bytes struct {
	Channels int
	Input    []float32 // [channels], steps per 1 of the boards
	Blocks   []ByteBlock
}

// ByteBlock is one of them. A convolution has weights, [9][in][out], and for each output what a sum is
// multiplied by and a bias.
type ByteBlock struct {
	Weights     [2][]int8
	Scale, Bias [2][]float32 // of the first convolution in steps of its result
	Step        []float32    // of the first convolution's result
	PerOne      []float32    // steps per 1 that the block's result is rounded to
	Pool        []float32    // [2*channels][channels], rounded to fp16, or nil
}

// Run returns what the blocks make of boards in fp16, [board][64][channels], in plain Go.
func (t *Bytes) Run(x []float32) []float32 {
	c := t.Channels
	x = slices.Clone(x)
	q := make([]uint8, len(x))
	for i, v := range x {
		q[i] = toByte(v * t.Input[i%c])
	}
	for _, b := range t.Blocks {
		h := make([]uint8, len(x))
		for i, sum := range sums(q, b.Weights[0], c) {
			h[i] = toByte(fuse(float32(sum), b.Scale[0][i%c], b.Bias[0][i%c]))
		}
		bias := b.boardBiases(h, c)
		for i, sum := range sums(h, b.Weights[1], c) {
			v := max(0, fuse(float32(sum), b.Scale[1][i%c], bias[i/(64*c)*c+i%c])+x[i])
			x[i], q[i] = v, toByte(v*b.PerOne[i%c])
		}
		x = rounded(x)
	}
	return x
}

// sums returns the sums of a convolution of bytes.
func sums(x []uint8, w []int8, c int) []int32 {
	y := make([]int32, len(x))
	var ranks sync.WaitGroup
	for first := 0; first < len(x)/c; first += 8 {
		ranks.Go(func() {
			for s := first; s < first+8; s++ {
				sumsOf(y[s*c:][:c], x[s/64*64*c:], w, s%64, c)
			}
		})
	}
	ranks.Wait()
	return y
}

// sumsOf adds those of a square of a board.
func sumsOf(y []int32, x []uint8, w []int8, square, c int) {
	for tap := range 9 {
		rank, file := square/8+tap/3-1, square%8+tap%3-1
		if rank < 0 || rank > 7 || file < 0 || file > 7 {
			continue
		}
		for i, v := range x[(rank*8+file)*c:][:c] {
			for o, weight := range w[(tap*c+i)*c:][:c] {
				y[o] += int32(v) * int32(weight)
			}
		}
	}
}

// boardBiases returns the biases of the second convolution, [board][channels], with the product of means
// and maxima of the first one's result.
func (b *ByteBlock) boardBiases(h []uint8, c int) []float32 {
	var all []float32
	for ; len(h) > 0; h = h[64*c:] {
		bias := slices.Clone(b.Bias[1])
		if b.Pool != nil {
			values := make([]float32, 2*c) // means, then maxima
			for i := range c {
				sum, most := 0, uint8(0)
				for square := range 64 {
					v := h[square*c+i]
					sum += int(v)
					most = max(most, v)
				}
				values[i], values[c+i] = float32(sum)/64*b.Step[i], float32(most)*b.Step[i]
			}
			for i, v := range values {
				for o, w := range b.Pool[i*c:][:c] {
					bias[o] = fuse(v, w, bias[o])
				}
			}
		}
		all = append(all, bias...)
	}
	return all
}

// toByte returns v, rounded to the nearest whole number from 0 to 255, and to even.
func toByte(v float32) uint8 { return uint8(math.RoundToEven(float64(min(max(0, v), 255)))) }

// fuse returns a*b+c, rounded once. The product is exact in fp64, and the sum is rounded to odd there, so
// that rounding it to fp32 does not round twice (Boldo and Melquiond 2008).
func fuse(a, b, c float32) float32 {
	product, add := float64(a)*float64(b), float64(c)
	sum := product + add
	rest := sum - product
	lost := (product - (sum - rest)) + (add - rest) // by Knuth, exactly
	if lost != 0 && math.Float64bits(sum)&1 == 0 {
		sum = math.Nextafter(sum, math.Copysign(math.Inf(1), lost))
	}
	return float32(sum)
}

// rounded returns numbers rounded to fp16.
func rounded(v []float32) []float32 { return kernels.FromHalves(kernels.Form{Half: true}.Store(v)) }

// Memory returns the blocks' weights, biases, scales and pool weights in the order in which the kernel
// reads them. In the kernel's memory the stem comes before the weights and the biases, and the first layers
// after them.
func (t *Bytes) Memory(of Tower) (weights []byte, biases, scales, pool []float32) {
	scales = slices.Clone(t.Input)
	for _, b := range t.Blocks {
		for k, w := range b.Weights {
			weights = append(weights, of.PackBytes(w)...)
			biases = append(biases, b.Bias[k]...)
		}
		scales = append(scales, slices.Concat(b.Scale[0], b.Step, b.Scale[1], b.PerOne)...)
		pool = append(pool, b.Pool...)
	}
	return weights, biases, scales, pool
}

// Passing returns a stem, [9][Planes][channels], and first layers, [channels][Rows], that pass numbers on:
// each of their sums has one term, so the kernel's results are exact. Biases are 0.
func (t *Bytes) Passing() (stem, first []float32) {
	stem, first = make([]float32, 9*Planes*t.Channels), make([]float32, t.Channels*Rows)
	for c := range t.Channels {
		stem[(4*Planes+c%Planes)*t.Channels+c] = float32(1 + c/Planes)
	}
	for o := range Rows {
		first[t.passed(o)*Rows+o] = 1
	}
	return stem, first
}

// passed is the channel that output o of Passing's first layers is. There is one of each unit and matrix.
func (t *Bytes) passed(o int) int {
	each := t.Channels / Rows
	return o*each + o%each
}

// Passed returns what the kernel must give with the layers of Passing, [board][64][Rows], of planes,
// [board][64][Planes].
func (t *Bytes) Passed(planes []float32) []float32 {
	planes = rounded(planes)
	x := make([]float32, len(planes)/Planes*t.Channels)
	for i := range x {
		c := i % t.Channels
		x[i] = planes[i/t.Channels*Planes+c%Planes] * float32(1+c/Planes)
	}
	x = t.Run(rounded(x))
	y := make([]float32, len(x)/t.Channels*Rows)
	for i := range y {
		y[i] = x[i/Rows*t.Channels+t.passed(i%Rows)]
	}
	return y
}
