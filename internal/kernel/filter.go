package kernel

// filterLine is one dimension of the filter transform, the matrix G of F(4,3). It
// transforms three weights to six numbers.
func filterLine(w0, w1, w2 float32) (u0, u1, u2, u3, u4, u5 float32) {
	p, q := float32((w0+w2)*(-1./6)), float32(w1*(1./6))
	r, s := float32(w0*(1./24))+float32(w2*(1./6)), float32(w1*(1./12))
	return w0 * (1. / 4), p - q, p + q, r + s, r - s, w2
}

// filterLineAdjoint is the adjoint of filterLine.
func filterLineAdjoint(u0, u1, u2, u3, u4, u5 float32) (w0, w1, w2 float32) {
	p, q := (u1+u2)*(-1./6), (u2-u1)*(1./6)
	r, s := u3+u4, (u3-u4)*(1./12)
	return u0*(1./4) + p + r*(1./24), q + s, p + r*(1./6) + u5
}

// filterPoints transforms the filters of input channel i in w, [3][3][in][out], to u,
// [36][out].
func filterPoints(u, w []float32, i, in, out int) {
	tap := in * out
	w = w[i*out:]
	u = u[:points*out]
	for o := range out {
		var s [6][3]float32
		for x := range 3 {
			s[0][x], s[1][x], s[2][x], s[3][x], s[4][x], s[5][x] = filterLine(w[x*tap+o], w[(3+x)*tap+o], w[(6+x)*tap+o])
		}
		for y := range s {
			p := u[6*y*out+o:]
			p[0], p[out], p[2*out], p[3*out], p[4*out], p[5*out] = filterLine(s[y][0], s[y][1], s[y][2])
		}
	}
}

// FilterAdjoint applies the adjoint of the filter transform. It sets the part of dw,
// [3][3][in][out], for input channel i from du, [36][out].
func FilterAdjoint(dw, du []float32, i, in, out int) {
	tap := in * out
	dw, du = dw[i*out:], du[:points*out]
	for o := range out {
		var s [6][3]float32
		for y := range s {
			p := du[6*y*out+o:]
			s[y][0], s[y][1], s[y][2] = filterLineAdjoint(p[0], p[out], p[2*out], p[3*out], p[4*out], p[5*out])
		}
		for x := range 3 {
			dw[x*tap+o], dw[(3+x)*tap+o], dw[(6+x)*tap+o] = filterLineAdjoint(s[0][x], s[1][x], s[2][x], s[3][x], s[4][x], s[5][x])
		}
	}
}
