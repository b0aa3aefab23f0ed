package quant

// Dense is a matrix of whole numbers by which rows are multiplied. It is safe for concurrent use.
type Dense struct {
	unit    *Unit
	k       int // rounded
	stride  int
	weights []int16   // [panels], as pack lays them out
	scale   []float32 // [stride], the value of 1 in a sum
}

// NewDense rounds the matrix w, [len(x.Step)][n], for rows of format x. The elements of a row are in
// parts of equal length, each rounded up to a multiple of 16 as the channels of boards are.
func NewDense(u *Unit, w []float32, n, parts int, x Format) *Dense {
	part := len(x.Step) / parts
	d := &Dense{unit: u, k: parts * Rounded(part), stride: Rounded(n)}
	rows, weights := make([]int16, d.stride*d.k), make([]float64, d.k)
	d.scale, d.weights = make([]float32, d.stride), make([]int16, d.stride*d.k)
	for o := range n {
		for i, step := range x.Step {
			weights[i/part*Rounded(part)+i%part] = float64(w[i*n+o]) * float64(step)
		}
		d.scale[o] = float32(quantize(rows[o*d.k:][:d.k], weights))
	}
	u.pack(d.weights, rows, d.k, d.stride)
	return d
}

// Stride returns the distance between the rows of a product: the number of columns rounded up. The
// extra columns of a product are zero.
func (d *Dense) Stride() int { return d.stride }

// Rows returns n rounded up to a multiple of 4. Multiply computes this number of rows, and both its
// matrices must have them.
func Rows(n int) int { return (n + 3) / 4 * 4 }

// Multiply sets c, [Rows(rows)][Stride], to the product of a, [Rows(rows)][k], and the matrix.
func (d *Dense) Multiply(c []float32, a []int16, rows int) {
	rows = Rows(rows)
	a, c = a[:rows*d.k], c[:rows*d.stride]
	d.unit.multiply(d.stride, c, a, d.weights, d.scale, d.k, rows/4, 4*d.k, 4*d.stride, d.stride)
}
