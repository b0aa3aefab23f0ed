package quant

import "math"

// The functions in this file specify what the assembly computes. They run on machines without
// it.

// product multiplies blocks of four rows of a by a panel b, [k/2][panel][2], and sets c to the sums
// times the panel's scale. The rows of a block are k elements apart in a and cRow apart in c; the
// blocks are aBlock and cBlock apart. Here a panel is one vector of two sums.
func product(c []float32, a, b []int16, scale []float32, k, blocks, aBlock, cBlock, cRow int) {
	b = b[:2*k]
	for i := range blocks {
		ai, ci := a[i*aBlock:][:4*k], c[i*cBlock:]
		for r := range 4 {
			var s0, s1 int32
			row := ai[r*k:][:k]
			for l := 0; l+1 < len(row); l += 2 {
				x0, x1 := int32(row[l]), int32(row[l+1])
				w := (*[4]int16)(b[2*l:])
				s0 += x0*int32(w[0]) + x1*int32(w[1])
				s1 += x0*int32(w[2]) + x1*int32(w[3])
			}
			ci[r*cRow], ci[r*cRow+1] = float32(s0)*scale[0], float32(s1)*scale[1]
		}
	}
}

// spread is one dimension of the input transform, the transpose of B of F(4,3). All numbers are whole
// and exact, so their order does not matter, nor what is fused.
func spread(d0, d1, d2, d3, d4, d5 float32) (t [6]float32) {
	a, b := d4-4*d2, d3-4*d1
	c, e := d4-d2, 2*(d3-d1)
	return [6]float32{4*d0 - 5*d2 + d4, a + b, a - b, c + e, c - e, 4*d1 - 5*d3 + d5}
}

// input transforms a board x, [64][channels], of numbers from 0 to Top, into v, whose points are point elements apart.
func input(v, x []int16, _ []float32, channels, point int) {
	row := 8 * channels
	for c := range channels {
		var s [2][8][6]float32 // [row of tiles][file][transformed rank]
		for f := range 8 {
			var d [8]float32
			for r := range d {
				d[r] = float32(x[r*row+f*channels+c])
			}
			s[0][f] = spread(0, d[0], d[1], d[2], d[3], d[4])
			s[1][f] = spread(d[3], d[4], d[5], d[6], d[7], 0)
		}
		for ty, q := range s {
			for i := range 6 {
				left := spread(0, q[0][i], q[1][i], q[2][i], q[3][i], q[4][i])
				right := spread(q[3][i], q[4][i], q[5][i], q[6][i], q[7][i], 0)
				for j := range 6 {
					o := v[(6*i+j)*point+2*ty*channels+c:]
					o[0], o[channels] = nearest(left[j]/divisor(6*i+j)), nearest(right[j]/divisor(6*i+j))
				}
			}
		}
	}
}

// nearest returns v, rounded to the nearest whole number, ties to even, and limited to 16 bits.
func nearest(v float32) int16 {
	return int16(math.RoundToEven(float64(min(max(math.MinInt16, v), math.MaxInt16))))
}

// gather is one dimension of the output transform, the transpose of A of F(4,3). Products by powers
// of two are exact, so it does not matter whether they are fused with a sum.
func gather(t0, t1, t2, t3, t4, t5 float32) (y0, y1, y2, y3 float32) {
	a, b := t1+t2, t1-t2
	c, e := t3+t4, t3-t4
	return t0 + a + c, b + 2*e, a + 4*c, b + t5 + 8*e
}

// output transforms m, whose points are point elements apart, adds bias and rounds the result to
// the squares of a board y, which are square elements apart. Negative numbers become 0, those above
// Top become Top. Everything is in steps of y.
func output(y []int16, m, bias, line []float32, channels, square, point int) {
	outputAdd(y, m, bias, nil, nil, line, channels, square, point)
}

// outputAdd is like output, but adds a residual first. The residual is a board like y, of numbers from 0 to
// Top, and may be y itself. The ratio is that of its steps to those of y.
func outputAdd(y []int16, m, bias []float32, residual []int16, ratio, _ []float32, channels, square, point int) {
	var s [6][4]float32 // [transformed file][rank]
	for c, b := range bias[:channels] {
		for t := range tiles {
			for j := range 6 {
				p := m[j*point+t*channels+c:]
				s[j][0], s[j][1], s[j][2], s[j][3] = gather(p[0], p[6*point], p[12*point], p[18*point], p[24*point], p[30*point])
			}
			for r := range 4 {
				var line [4]float32
				line[0], line[1], line[2], line[3] = gather(s[0][r], s[1][r], s[2][r], s[3][r], s[4][r], s[5][r])
				at := ((t/2)*32+r*8+(t%2)*4)*square + c
				for f, v := range line {
					v += b
					if residual != nil {
						// The conversion keeps the product from being fused with the sum.
						v += float32(float32(residual[at+f*square]) * ratio[c])
					}
					y[at+f*square] = rounded(v)
				}
			}
		}
	}
}

// rounded returns v, rounded to the nearest whole number from 0 to Top.
func rounded(v float32) int16 { return nearest(min(max(0, v), Top)) }

// pool sets mean and most to the means, rounded, and the maxima of the channels of a board,
// [64][channels].
func pool(mean, most, x []int16, channels int) {
	for c := range channels {
		sum, peak := int32(0), int16(0)
		for s := range 64 {
			v := x[s*channels+c]
			sum += int32(v)
			peak = max(peak, v)
		}
		mean[c], most[c] = int16((sum+32)>>6), peak
	}
}

// narrow sets y to the sum of x and bias, times scale, rounded as by output. Both are
// [squares][len(scale)].
func narrow(y []int16, x, bias, scale []float32, squares int) {
	for s := range squares {
		row := x[s*len(scale):][:len(scale)]
		for c, v := range row {
			y[s*len(scale)+c] = rounded((v + bias[c]) * scale[c])
		}
	}
}
