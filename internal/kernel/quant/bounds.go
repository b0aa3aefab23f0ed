package quant

import "math"

// No number overflows, whatever the activations and the weights are.
//
// The input transform. Its matrix, the transpose of B, has the rows
//
//	4  0 -5  0  1  0
//	0 -4 -4  1  1  0
//	0  4 -4 -1  1  0
//	0 -2 -1  2  1  0
//	0  2 -1 -2  1  0
//	0  4  0 -5  0  1
//
// No row has numbers whose magnitudes sum to more than 10, so a point of a tile is at most
// 100*Top in magnitude, or 144*Top where the assembly has doubled rows 3 and 4 to divide all points
// alike. That is less than 2^24, so all numbers on the way are exact in float32. The point is
// divided by a power of two, rounded, and limited to 16 bits. That limit is reached only where
// activations are above 0.44 Top, the least in the worst pattern; a square of 2x2 that is alone
// reaches it from 0.5 Top on. The scales keep Top at twice that or more for the activations that
// they were chosen on (cpu.room).
//
// The sums. A weight is at most 32767 in magnitude, and quantize chooses the scale of an
// output's weights such that the sum of their magnitudes is at most (2^31-1)/2^15. Inputs
// are at most 2^15 in magnitude. So all partial sums, in any order, fit into an int32, and
// so does the sum of two products.

// divisor returns what a point is divided by. The rows 3 and 4 of the matrix give smaller numbers
// than the others, and the output transform multiplies their rounding by up to 8 in each direction.
func divisor(point int) float32 {
	d := float32(32)
	for _, row := range [2]int{point / 6, point % 6} {
		if row == 3 || row == 4 {
			d /= 2
		}
	}
	return d
}

// quantize rounds the weights of one output to q, and returns the step between them.
func quantize(q []int16, weights []float64) (step float64) {
	sum, peak := 0.0, 0.0
	for _, w := range weights {
		sum += math.Abs(w)
		peak = max(peak, math.Abs(w))
	}
	if peak == 0 {
		clear(q)
		return 0
	}
	// Rounding adds at most half a step to each weight. The last factor makes up for the
	// rounding of this computation.
	room := float64(math.MaxInt32>>15) - 0.5*float64(len(weights))
	step = max(sum/room, peak/math.MaxInt16) * (1 + 0x1p-40)
	for i, w := range weights {
		q[i] = int16(math.RoundToEven(w / step))
	}
	return step
}
