package kernel

import "math"

// twin contains the plain Go routines. They specify what the assembly computes, and run on
// machines without it. What evaluation needs converts its products, so that no compiler fuses them
// with sums: the path "go" has the same bits on every machine.
var twin = routines{
	lanes: 2, widest: 1,
	product: products{1: product}, outer: outers{1: outer},
	input: input, output: output, outputAdd: outputAdd,
	inputAdjoint: inputAdjoint, outputAdjoint: outputAdjoint,
	axpy: axpy, scatter: scatter, rectify: rectify, pool: pool,
	unfused: unfused{1, products{1: product}, axpy, scatter},
}

// product multiplies blocks of four rows of a by a panel b, [k][panel]. The rows of a block are k
// elements apart in a and cRow apart in c; the blocks are aBlock and cBlock apart. Here a panel
// is one vector of two numbers. Eight sums and six operands fit into the scalar registers of
// amd64, and larger blocks were not faster.
func product(c, a, b []float32, k, blocks, aBlock, cBlock, cRow int) {
	b = b[:2*k]
	for i := range blocks {
		ai, ci := a[i*aBlock:][:4*k], c[i*cBlock:]
		a0, a1, a2, a3 := ai[:k], ai[k:2*k], ai[2*k:3*k], ai[3*k:4*k]
		var s00, s01, s10, s11, s20, s21, s30, s31 float32
		for l, x0 := range a0 {
			y := (*[2]float32)(b[2*l:])
			x1, x2, x3 := a1[l], a2[l], a3[l]
			s00 += float32(x0 * y[0])
			s01 += float32(x0 * y[1])
			s10 += float32(x1 * y[0])
			s11 += float32(x1 * y[1])
			s20 += float32(x2 * y[0])
			s21 += float32(x2 * y[1])
			s30 += float32(x3 * y[0])
			s31 += float32(x3 * y[1])
		}
		*(*[2]float32)(ci) = [2]float32{s00, s01}
		*(*[2]float32)(ci[cRow:]) = [2]float32{s10, s11}
		*(*[2]float32)(ci[2*cRow:]) = [2]float32{s20, s21}
		*(*[2]float32)(ci[3*cRow:]) = [2]float32{s30, s31}
	}
}

// outer adds to the panel c, [rows][2], the sum of the outer products of the rows of a and b, in
// blocks of four rows. The argument rows, the number of columns of a, is a multiple of 4.
func outer(c, a, b []float32, rows, blocks, aBlock, bBlock, aRow, bRow, cRow int) {
	for r := 0; r < rows; r += 4 {
		c0, c1 := (*[2]float32)(c[r*cRow:]), (*[2]float32)(c[(r+1)*cRow:])
		c2, c3 := (*[2]float32)(c[(r+2)*cRow:]), (*[2]float32)(c[(r+3)*cRow:])
		s00, s01, s10, s11 := c0[0], c0[1], c1[0], c1[1]
		s20, s21, s30, s31 := c2[0], c2[1], c3[0], c3[1]
		for i := range blocks {
			for t := range 4 {
				x := (*[4]float32)(a[i*aBlock+t*aRow+r:])
				y := (*[2]float32)(b[i*bBlock+t*bRow:])
				s00 += x[0] * y[0]
				s01 += x[0] * y[1]
				s10 += x[1] * y[0]
				s11 += x[1] * y[1]
				s20 += x[2] * y[0]
				s21 += x[2] * y[1]
				s30 += x[3] * y[0]
				s31 += x[3] * y[1]
			}
		}
		*c0, *c1 = [2]float32{s00, s01}, [2]float32{s10, s11}
		*c2, *c3 = [2]float32{s20, s21}, [2]float32{s30, s31}
	}
}

// axpy adds v times w to y. W must be at least as long as y.
func axpy(y, w []float32, v float32) {
	w = w[:len(y)]
	for i := range y {
		y[i] += float32(v * w[i])
	}
}

// scatter adds blocks of w, [3][3][out], times their values to blocks of 3x3 squares of the framed board
// y, [10][10][out]. Block i begins at from[i] in w and at at[i] in y.
func scatter(y, w []float32, at, from []int32, values []float32, out int) {
	for i, v := range values {
		for r := range 3 {
			axpy(y[int(at[i])+r*framed*out:][:3*out], w[int(from[i])+r*3*out:], v)
		}
	}
}

// rectify adds bias to every row of y, [rows][len(bias)], and sets negative elements to zero.
func rectify(y, bias []float32, rows int) {
	for range rows {
		for i, b := range bias {
			y[i] = max(0, y[i]+b)
		}
		y = y[len(bias):]
	}
}

// pool sets mean and most to the mean and the maximum of each channel of x, whose 64 rows are row
// elements apart.
func pool(mean, most, x []float32, channels, row int) {
	mean, most = mean[:channels], most[:channels]
	copy(mean, x)
	copy(most, x)
	for s := 1; s < 64; s++ {
		for c, v := range x[s*row:][:channels] {
			mean[c] += v
			most[c] = max(most[c], v)
		}
	}
	for c := range mean {
		mean[c] *= 1. / 64
	}
}

// Passed returns d if y, a result of ReLU, is greater than zero, and 0 if y is zero. It has no
// branch, because the processor could not predict it.
func Passed(y, d float32) float32 {
	mask := -int32(math.Float32bits(y)) >> 31
	return math.Float32frombits(math.Float32bits(d) & uint32(mask))
}
