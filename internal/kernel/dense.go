package kernel

import "fmt"

// Dense is a matrix to multiply rows by, [k][n], packed once. Multiply is safe
// for concurrent use.
type Dense struct {
	r      *routines
	k, n   int
	stride int
	packed []float32
	row    []float32 // scratch of Pack, its padding zero
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

// Pack puts another matrix of the same shape in the place of the first.
func (d *Dense) Pack(w []float32) {
	for i := range d.k {
		copy(d.row, w[i*d.n:][:d.n])
		d.r.packRow(d.packed, d.row, i, d.k)
	}
}

// Stride is how far apart the rows of a product lie: n and a few columns of
// zeros.
func (d *Dense) Stride() int { return d.stride }

// Rounded is the number of rows that Multiply works on when it is asked for so
// many; both its matrices must have them all.
func Rounded(rows int) int { return (rows + 3) / 4 * 4 }

// Multiply sets c, [Rounded(rows)][Stride], to the product of a,
// [Rounded(rows)][k], and the matrix.
func (d *Dense) Multiply(c, a []float32, rows int) {
	rows = Rounded(rows)
	if rows == 0 {
		return
	}
	a, c = a[:rows*d.k], c[:rows*d.stride]
	d.r.panels(d.stride, func(column, vectors int) {
		d.r.product(vectors, c[column:], a, d.packed[column*d.k:], d.k, rows/4, 4*d.k, 4*d.stride, d.stride)
	})
}

// Rectify adds bias to every row of y, [rows][len(bias)], and sets what is below
// zero to zero.
func (p *Path) Rectify(y, bias []float32, rows int) {
	if rows > 0 && len(bias) > 0 {
		p.any(len(bias)).rectify(y[:rows*len(bias)], bias, rows)
	}
}

// Pool sets mean and most to the means and the maxima over the 64 squares of the
// board x, [64][len(mean)].
func (p *Path) Pool(mean, most, x []float32) {
	n := len(mean)
	p.any(n).pool(mean, most[:n], x[:64*n], n, n)
}

// OuterSum adds to c, [m][n], the sum over the rows of a, whose first m of width
// columns count, and b, [rows][n], of a's row transposed times b's. rows and m
// are multiples of 4, n is one that Dense.Stride gives.
func (p *Path) OuterSum(c, a, b []float32, rows, m, width, n int) {
	if rows == 0 || m == 0 {
		return
	}
	a, b, c = a[:(rows-1)*width+m], b[:rows*n], c[:m*n]
	if rows%4 != 0 || m%4 != 0 || n != p.columns(n) {
		panic(fmt.Sprintf("kernel: no sum of outer products of %d rows, %d by %d", rows, m, n))
	}
	r := p.of(n)
	const atOnce = 256 // rows of b that stay in the cache while c goes by
	for i := 0; i < rows; i += atOnce {
		blocks := min(atOnce, rows-i) / 4
		r.panels(n, func(column, vectors int) {
			r.outer(vectors, c[column:], a[i*width:], b[i*n+column:], m, blocks, 4*width, 4*n, width, n, n)
		})
	}
}

// Add adds x to y, of the same length.
func (p *Path) Add(y, x []float32) {
	x = x[:len(y)]
	whole := len(y) / p.wide.lanes * p.wide.lanes
	p.wide.axpy(y[:whole], x, 1)
	for i := whole; i < len(y); i++ {
		y[i] += x[i]
	}
}
