package kernel

import "fmt"

// Dense is a packed matrix, [k][n], by which rows are multiplied. Multiply is safe for
// concurrent use.
type Dense struct {
	r      *routines
	k, n   int
	stride int
	packed []float32
	row    []float32 // scratch of Pack; its padding is zero
}

// NewDense packs the matrix w, [k][n].
func NewDense(p *Path, w []float32, k, n int) *Dense {
	d := &Dense{k: k, n: n, stride: p.columns(n)}
	d.r = p.of(d.stride)
	d.packed = make([]float32, k*d.stride)
	d.row = make([]float32, d.stride)
	d.Pack(w)
	return d
}

// Pack replaces the matrix by w, which has the same shape.
func (d *Dense) Pack(w []float32) {
	for i := range d.k {
		copy(d.row, w[i*d.n:][:d.n])
		d.r.packRow(d.packed, d.row, i, d.k)
	}
}

// Stride returns the distance between the rows of a product: n rounded up. The extra columns
// of a product are zero.
func (d *Dense) Stride() int { return d.stride }

// Rounded returns rows rounded up to a multiple of 4. Multiply computes this number of rows,
// and both its matrices must have them.
func Rounded(rows int) int { return (rows + 3) / 4 * 4 }

// Multiply sets c, [Rounded(rows)][Stride], to the product of a, [Rounded(rows)][k], and the
// matrix.
func (d *Dense) Multiply(c, a []float32, rows int) {
	rows = Rounded(rows)
	if rows == 0 {
		return
	}
	a, c = a[:rows*d.k], c[:rows*d.stride]
	d.r.panels(d.stride, func(column, vectors int) {
		d.r.product[vectors](c[column:], a, d.packed[column*d.k:], d.k, rows/4, 4*d.k, 4*d.stride, d.stride)
	})
}

// Rectify adds bias to every row of y, [rows][len(bias)], and sets negative elements to
// zero.
func (p *Path) Rectify(y, bias []float32, rows int) {
	if rows > 0 && len(bias) > 0 {
		p.any(len(bias)).rectify(y[:rows*len(bias)], bias, rows)
	}
}

// Pool sets mean and most to the means and the maxima of the channels of the board x,
// [64][len(mean)], over its 64 squares.
func (p *Path) Pool(mean, most, x []float32) {
	p.PoolRows(mean, most, x, len(mean))
}

// PoolRows is like Pool for a board whose squares are row elements apart.
func (p *Path) PoolRows(mean, most, x []float32, row int) {
	n := len(mean)
	p.any(n).pool(mean, most[:n], x[:63*row+n], n, row)
}

// OuterSum adds to c, [m][n], the product of a transposed and b, [rows][n], which is the sum
// over the rows of their outer products. Only the first m of the width columns of a,
// [rows][width], are used. Rows and m must be multiples of 4, and n must be a value of
// Dense.Stride; otherwise OuterSum panics.
func (p *Path) OuterSum(c, a, b []float32, rows, m, width, n int) {
	if rows == 0 || m == 0 {
		return
	}
	a, b, c = a[:(rows-1)*width+m], b[:rows*n], c[:m*n]
	if rows%4 != 0 || m%4 != 0 || n != p.columns(n) {
		panic(fmt.Sprintf("kernel: no sum of outer products of %d rows, %d by %d", rows, m, n))
	}
	r := p.of(n)
	const atOnce = 256 // rows of b that stay in the cache during one pass over c
	for i := 0; i < rows; i += atOnce {
		blocks := min(atOnce, rows-i) / 4
		r.panels(n, func(column, vectors int) {
			r.outer[vectors](c[column:], a[i*width:], b[i*n+column:], m, blocks, 4*width, 4*n, width, n, n)
		})
	}
}

// Add adds x to y. X must be at least as long as y.
func (p *Path) Add(y, x []float32) {
	x = x[:len(y)]
	whole := len(y) / p.wide.lanes * p.wide.lanes
	p.wide.axpy(y[:whole], x, 1)
	for i := whole; i < len(y); i++ {
		y[i] += x[i]
	}
}
