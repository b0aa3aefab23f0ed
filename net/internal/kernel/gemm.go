package kernel

// The matrix product is built on one register block: 4 rows by 2 columns, both
// operands packed so that it reads them straight through (the packing of Goto
// and van de Geijn 2008, "Anatomy of high-performance matrix multiplication").
//
// A left operand of 4 rows is a panel [k][4]. A right operand of n columns is
// ceil(n/2) panels [k][2]. A product is [n][4]: column after column, 4 rows
// each, which is itself the left panel of a product that follows.
//
// Eight sums and six operands are what fits amd64's fifteen scalar float
// registers; 4x3 and 2x4 blocks measured no faster (all 3.7 to 5 billion
// multiply-adds a second on one Zen 4 core at 3.7 GHz).

// Rows is the number of rows in a left panel.
const Rows = 4

// PackColumns packs the matrix w, [k][n] row after row, as a right operand.
// An odd last column is paired with zeros. The result has k*(n+n%2) elements.
func PackColumns(w []float32, k, n int) []float32 {
	b := make([]float32, k*(n+n%2))
	for i := range k {
		for j := range n {
			b[(j/2*k+i)*2+j%2] = w[i*n+j]
		}
	}
	return b
}

// PackRows packs 4 rows of k elements, lying one after the other in x, into
// the left panel a.
func PackRows(a, x []float32, k int) {
	x0, x1, x2, x3 := x[:k], x[k:][:k], x[2*k:][:k], x[3*k:][:k]
	a = a[:4*k]
	for i := range x0 {
		p := (*[4]float32)(a)
		p[0], p[1], p[2], p[3] = x0[i], x1[i], x2[i], x3[i]
		a = a[4:]
	}
}

// Product sets c, [n][4], to the product of the left panel a, [k][4], and the
// right operand b of n columns packed by PackColumns. c needs room for n
// rounded up to even.
func Product(c, a, b []float32, k, n int) {
	for j := 0; j < n; j += 2 {
		o := (*[8]float32)(c[4*j:])
		mul4x2((*[4]float32)(o[:4]), (*[4]float32)(o[4:]), a[:4*k], b[j*k:][:2*k])
	}
}

// mul4x2 multiplies the panels a, [k][4], and b, [k][2], into two columns of 4.
func mul4x2(left, right *[4]float32, a, b []float32) {
	var c0, c1, c2, c3, c4, c5, c6, c7 float32
	for len(a) >= 16 && len(b) >= 8 {
		p, q := (*[16]float32)(a), (*[8]float32)(b)
		x, y := q[0], q[1]
		c0 += p[0] * x
		c1 += p[1] * x
		c2 += p[2] * x
		c3 += p[3] * x
		c4 += p[0] * y
		c5 += p[1] * y
		c6 += p[2] * y
		c7 += p[3] * y
		x, y = q[2], q[3]
		c0 += p[4] * x
		c1 += p[5] * x
		c2 += p[6] * x
		c3 += p[7] * x
		c4 += p[4] * y
		c5 += p[5] * y
		c6 += p[6] * y
		c7 += p[7] * y
		x, y = q[4], q[5]
		c0 += p[8] * x
		c1 += p[9] * x
		c2 += p[10] * x
		c3 += p[11] * x
		c4 += p[8] * y
		c5 += p[9] * y
		c6 += p[10] * y
		c7 += p[11] * y
		x, y = q[6], q[7]
		c0 += p[12] * x
		c1 += p[13] * x
		c2 += p[14] * x
		c3 += p[15] * x
		c4 += p[12] * y
		c5 += p[13] * y
		c6 += p[14] * y
		c7 += p[15] * y
		a, b = a[16:], b[8:]
	}
	for len(a) >= 4 && len(b) >= 2 {
		p, q := (*[4]float32)(a), (*[2]float32)(b)
		x, y := q[0], q[1]
		c0 += p[0] * x
		c1 += p[1] * x
		c2 += p[2] * x
		c3 += p[3] * x
		c4 += p[0] * y
		c5 += p[1] * y
		c6 += p[2] * y
		c7 += p[3] * y
		a, b = a[4:], b[2:]
	}
	left[0], left[1], left[2], left[3] = c0, c1, c2, c3
	right[0], right[1], right[2], right[3] = c4, c5, c6, c7
}
