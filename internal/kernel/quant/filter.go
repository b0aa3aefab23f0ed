package quant

// filterLine is one dimension of the filter transform, the matrix G of F(4,3). It
// transforms three weights to six numbers. No product whose rounding matters is added to
// anything, so that processors with and without fused multiply-adds agree.
func filterLine(w0, w1, w2 float64) [6]float64 {
	s, t := w0+w2, w0+4*w2
	return [6]float64{w0 / 4, (s + w1) / -6, (s - w1) / -6, (t + 2*w1) / 24, (t - 2*w1) / 24, w2}
}

// filterPoints transforms the filter from input i to output o of w, [3][3][in][out].
func filterPoints(w []float32, i, o, in, out int) (u [points]float64) {
	at := func(y, x int) float64 { return float64(w[((y*3+x)*in+i)*out+o]) }
	var columns [3][6]float64
	for x := range columns {
		columns[x] = filterLine(at(0, x), at(1, x), at(2, x))
	}
	for y := range 6 {
		line := filterLine(columns[0][y], columns[1][y], columns[2][y])
		copy(u[6*y:], line[:])
	}
	return u
}
