package gradient

// scalarMulAdd adds the product a b to c. c is m x n, b is k x n, and element
// (i, l) of a is a[i*row+l*col]. Blocks of four rows by two columns are summed in
// registers.
func scalarMulAdd(m, n, k int, a []float32, row, col int, b, c []float32) {
	i := 0
	for ; i+4 <= m; i += 4 {
		j := 0
		for ; j+2 <= n; j += 2 {
			var s00, s01, s10, s11, s20, s21, s30, s31 float32
			at, bt := i*row, j
			for range k {
				b0, b1 := b[bt], b[bt+1]
				a0, a1, a2, a3 := a[at], a[at+row], a[at+2*row], a[at+3*row]
				s00 += a0 * b0
				s01 += a0 * b1
				s10 += a1 * b0
				s11 += a1 * b1
				s20 += a2 * b0
				s21 += a2 * b1
				s30 += a3 * b0
				s31 += a3 * b1
				at += col
				bt += n
			}
			o := i*n + j
			c[o] += s00
			c[o+1] += s01
			c[o+n] += s10
			c[o+n+1] += s11
			c[o+2*n] += s20
			c[o+2*n+1] += s21
			c[o+3*n] += s30
			c[o+3*n+1] += s31
		}
		for ; j < n; j++ {
			for r := i; r < i+4; r++ {
				scalarDotAdd(k, a[r*row:], col, b[j:], n, &c[r*n+j])
			}
		}
	}
	for ; i < m; i++ {
		for j := range n {
			scalarDotAdd(k, a[i*row:], col, b[j:], n, &c[i*n+j])
		}
	}
}

func scalarDotAdd(k int, a []float32, incA int, b []float32, incB int, c *float32) {
	var s float32
	for l := range k {
		s += a[l*incA] * b[l*incB]
	}
	*c += s
}

// transpose writes the row-major matrix a (m x n) to t as (n x m).
func transpose(m, n int, a, t []float32) {
	for i := range m {
		for j, v := range a[i*n : i*n+n] {
			t[j*m+i] = v
		}
	}
}
