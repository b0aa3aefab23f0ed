package gradient

// The one-dimensional steps of Winograd's minimal filtering F(4,3) (Lavin and
// Gray 2016, "Fast algorithms for convolutional neural networks", sec. 4) and
// their adjoints. Each works on vectors of n numbers at once: vector i of the
// source starts at i*ss, vector i of the destination at i*ds. The two-
// dimensional transforms are these, first along the board's ranks and then
// along its files.
//
// A line of the board has eight squares, and two tiles of four outputs cover
// it: the first sees an empty square before the line and squares 0 to 4, the
// last sees squares 3 to 7 and an empty square after the line.

// firstTile takes squares 0 to 4 to the six numbers of the first tile: BT d
// with d0 = 0.
func firstTile(n int, src []float32, ss int, dst []float32, ds int) {
	d1, d2, d3, d4, d5 := src[:n], src[ss:][:n], src[2*ss:][:n], src[3*ss:][:n], src[4*ss:][:n]
	o0, o1, o2 := dst[:n], dst[ds:][:n], dst[2*ds:][:n]
	o3, o4, o5 := dst[3*ds:][:n], dst[4*ds:][:n], dst[5*ds:][:n]
	for i, a1 := range d1 {
		a2, a3, a4 := d2[i], d3[i], d4[i]
		o0[i] = a4 - 5*a2
		p, q := a4-4*a2, a3-4*a1
		o1[i], o2[i] = p+q, p-q
		p, q = a4-a2, 2*(a3-a1)
		o3[i], o4[i] = p+q, p-q
		o5[i] = 4*a1 - 5*a3 + d5[i]
	}
}

// lastTile takes squares 3 to 7 to the six numbers of the last tile: BT d with
// d5 = 0.
func lastTile(n int, src []float32, ss int, dst []float32, ds int) {
	d0, d1, d2, d3, d4 := src[:n], src[ss:][:n], src[2*ss:][:n], src[3*ss:][:n], src[4*ss:][:n]
	o0, o1, o2 := dst[:n], dst[ds:][:n], dst[2*ds:][:n]
	o3, o4, o5 := dst[3*ds:][:n], dst[4*ds:][:n], dst[5*ds:][:n]
	for i, a0 := range d0 {
		a1, a2, a3, a4 := d1[i], d2[i], d3[i], d4[i]
		o0[i] = 4*a0 - 5*a2 + a4
		p, q := a4-4*a2, a3-4*a1
		o1[i], o2[i] = p+q, p-q
		p, q = a4-a2, 2*(a3-a1)
		o3[i], o4[i] = p+q, p-q
		o5[i] = 4*a1 - 5*a3
	}
}

// firstTileAdjoint is the adjoint of firstTile: it sets squares 0 to 4.
func firstTileAdjoint(n int, src []float32, ss int, dst []float32, ds int) {
	v0, v1, v2 := src[:n], src[ss:][:n], src[2*ss:][:n]
	v3, v4, v5 := src[3*ss:][:n], src[4*ss:][:n], src[5*ss:][:n]
	e1, e2, e3, e4, e5 := dst[:n], dst[ds:][:n], dst[2*ds:][:n], dst[3*ds:][:n], dst[4*ds:][:n]
	for i, a0 := range v0 {
		p, q := v1[i]+v2[i], v1[i]-v2[i]
		r, s := v3[i]+v4[i], 2*(v3[i]-v4[i])
		a5 := v5[i]
		e1[i] = 4*(a5-q) - s
		e2[i] = -5*a0 - 4*p - r
		e3[i] = q + s - 5*a5
		e4[i] = a0 + p + r
		e5[i] = a5
	}
}

// lastTileAdjoint is the adjoint of lastTile: it adds to squares 3 and 4, which
// firstTileAdjoint has set, and sets squares 5 to 7.
func lastTileAdjoint(n int, src []float32, ss int, dst []float32, ds int) {
	v0, v1, v2 := src[:n], src[ss:][:n], src[2*ss:][:n]
	v3, v4, v5 := src[3*ss:][:n], src[4*ss:][:n], src[5*ss:][:n]
	e0, e1, e2, e3, e4 := dst[:n], dst[ds:][:n], dst[2*ds:][:n], dst[3*ds:][:n], dst[4*ds:][:n]
	for i, a0 := range v0 {
		p, q := v1[i]+v2[i], v1[i]-v2[i]
		r, s := v3[i]+v4[i], 2*(v3[i]-v4[i])
		a5 := v5[i]
		e0[i] += 4 * a0
		e1[i] += 4*(a5-q) - s
		e2[i] = -5*a0 - 4*p - r
		e3[i] = q + s - 5*a5
		e4[i] = a0 + p + r
	}
}

// tileOutput takes a tile's six products to its four squares: AT m.
func tileOutput(n int, src []float32, ss int, dst []float32, ds int) {
	m0, m1, m2 := src[:n], src[ss:][:n], src[2*ss:][:n]
	m3, m4, m5 := src[3*ss:][:n], src[4*ss:][:n], src[5*ss:][:n]
	y0, y1, y2, y3 := dst[:n], dst[ds:][:n], dst[2*ds:][:n], dst[3*ds:][:n]
	for i, a0 := range m0 {
		p, q := m1[i]+m2[i], m1[i]-m2[i]
		r, s := m3[i]+m4[i], m3[i]-m4[i]
		y0[i] = a0 + p + r
		y1[i] = q + 2*s
		y2[i] = p + 4*r
		y3[i] = q + 8*s + m5[i]
	}
}

// tileOutputAdjoint is the adjoint of tileOutput: four squares to six numbers.
func tileOutputAdjoint(n int, src []float32, ss int, dst []float32, ds int) {
	g0, g1, g2, g3 := src[:n], src[ss:][:n], src[2*ss:][:n], src[3*ss:][:n]
	m0, m1, m2 := dst[:n], dst[ds:][:n], dst[2*ds:][:n]
	m3, m4, m5 := dst[3*ds:][:n], dst[4*ds:][:n], dst[5*ds:][:n]
	for i, a0 := range g0 {
		a1, a2, a3 := g1[i], g2[i], g3[i]
		m0[i], m5[i] = a0, a3
		p, q := a0+a2, a1+a3
		m1[i], m2[i] = p+q, p-q
		p, q = a0+4*a2, 2*(a1+4*a3)
		m3[i], m4[i] = p+q, p-q
	}
}

// filterLine takes three weights of a filter to six numbers: G w.
func filterLine(n int, src []float32, ss int, dst []float32, ds int) {
	w0, w1, w2 := src[:n], src[ss:][:n], src[2*ss:][:n]
	u0, u1, u2 := dst[:n], dst[ds:][:n], dst[2*ds:][:n]
	u3, u4, u5 := dst[3*ds:][:n], dst[4*ds:][:n], dst[5*ds:][:n]
	for i, a0 := range w0 {
		a1, a2 := w1[i], w2[i]
		u0[i], u5[i] = a0*(1./4), a2
		p, q := (a0+a2)*(-1./6), a1*(1./6)
		u1[i], u2[i] = p-q, p+q
		p, q = a0*(1./24)+a2*(1./6), a1*(1./12)
		u3[i], u4[i] = p+q, p-q
	}
}

// filterLineAdjoint is the adjoint of filterLine: six numbers to three weights.
func filterLineAdjoint(n int, src []float32, ss int, dst []float32, ds int) {
	u0, u1, u2 := src[:n], src[ss:][:n], src[2*ss:][:n]
	u3, u4, u5 := src[3*ss:][:n], src[4*ss:][:n], src[5*ss:][:n]
	w0, w1, w2 := dst[:n], dst[ds:][:n], dst[2*ds:][:n]
	for i, a0 := range u0 {
		p, q := (u1[i]+u2[i])*(-1./6), (u2[i]-u1[i])*(1./6)
		r, s := u3[i]+u4[i], (u3[i]-u4[i])*(1./12)
		w0[i] = a0*(1./4) + p + r*(1./24)
		w1[i] = q + s
		w2[i] = p + r*(1./6) + u5[i]
	}
}
