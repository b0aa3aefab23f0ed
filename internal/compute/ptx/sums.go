package ptx

import "math"

// execute multiplies, for all four warps.
func (w *warp) execute(m *multiplication) {
	p := m.product
	if p.types[0] == s32 {
		a, b := w.wholeOperand(m.a, 64, s8), w.wholeOperand(m.b, p.n, u8)
		for i := range 4 {
			d := w.sums(m, i)
			addProducts(d, a[16*32*i:][:16*32], b, func(v uint64) int32 { return int32(v) }, func(n int32) uint64 { return uint64(uint32(n)) })
		}
		return
	}
	var a []float32
	if p.a == nil {
		a = w.operand(m.a, 64, false, p.types[1])
	} else {
		a = w.registerOperand(p)
	}
	b := w.operand(m.b, p.n, p.across, p.types[2])
	for i := range 4 {
		addFloats(w.sums(m, i), a[16*16*i:][:16*16], b)
	}
}

// registerOperand returns a as rows of 16, from the registers of the four warps.
func (w *warp) registerOperand(p *product) (all []float32) {
	var fragment []source
	for _, r := range p.a {
		fragment = append(fragment, source{register: r})
	}
	for i := range 4 {
		rows := left(w.block.warps[w.number&^3+i], fragment, p.types[1])
		all = append(all, rows[:]...)
	}
	return all
}

// sums returns the registers of one of the four warps to which a multiplication adds.
func (w *warp) sums(m *multiplication, i int) []*lanes {
	registers, d := w.block.warps[w.number&^3+i].registers, make([]*lanes, len(m.product.d))
	for j, r := range m.product.d {
		d[j] = &registers[r]
		if !m.add {
			clear(d[j][:])
		}
	}
	return d
}

// addFloats adds products of 16 rows and some columns of 16 numbers to the registers of a warp.
func addFloats(d []*lanes, a, b []float32) {
	addProducts(d, a, b, func(v uint64) float32 { return math.Float32frombits(uint32(v)) }, func(f float32) uint64 { return uint64(single(f)) })
}

// addProducts adds products of 16 rows and some columns to the registers of a warp. A thread has rows lane/4
// and 8 more, and two neighbouring columns of each 8, in four registers.
func addProducts[T int32 | float32](d []*lanes, a, b []T, number func(uint64) T, bits func(T) uint64) {
	depth := len(a) / 16
	for row := range 16 {
		x := a[depth*row:][:depth]
		for column := 0; column < 2*len(d); column += 4 {
			j, lane := column/8*4+row/8*2, row%8*4+column%8/2
			even, odd := d[j][lane:][:2], d[j+1][lane:][:2]
			s0, s1, s2, s3 := addFour(number(even[0]), number(odd[0]), number(even[1]), number(odd[1]), x, b[depth*column:])
			even[0], odd[0], even[1], odd[1] = bits(s0), bits(s1), bits(s2), bits(s3)
		}
	}
}

// addFour adds to each of four sums the products of x and a column, one after the other. The columns lie one
// behind the other. Additions to one sum wait for each other, so four take little longer.
func addFour[T int32 | float32](s0, s1, s2, s3 T, x, columns []T) (T, T, T, T) {
	n := len(x)
	y0, y1, y2, y3 := columns[:n], columns[n:][:n], columns[2*n:][:n], columns[3*n:][:n]
	for i, v := range x {
		s0 += T(v * y0[i])
		s1 += T(v * y1[i])
		s2 += T(v * y2[i])
		s3 += T(v * y3[i])
	}
	return s0, s1, s2, s3
}
