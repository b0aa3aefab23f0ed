package learn

import (
	"math"

	"warren/internal/kernel"
)

// orthogonal approximates the matrix nearest to a given one whose singular values are all equal to
// 1. It uses the Newton-Schulz iteration of Jordan et al. 2024: five steps of an odd polynomial
// that brings every singular value above 0.2% of the norm to between 0.68 and 1.21. Smaller ones grow
// by a factor of up to 485. Set its elements, call iterate, and read them.
type orthogonal struct {
	path          *kernel.Path
	rows, columns int

	// The matrix is held with no more columns than rows, which may mean transposed, and
	// padded with zeros, [tall][narrow].
	tall, narrow int
	x, y         []float32
	square       *kernel.Dense // the last factor, [narrow][narrow]
	gram, fourth []float32     // [narrow][narrow]
}

func newOrthogonal(path *kernel.Path, rows, columns int) *orthogonal {
	o := &orthogonal{path: path, rows: rows, columns: columns}
	o.tall = kernel.Rounded(max(rows, columns))
	o.narrow = (min(rows, columns) + 7) / 8 * 8 // what all paths can multiply
	o.x, o.y = make([]float32, o.tall*o.narrow), make([]float32, o.tall*o.narrow)
	o.gram, o.fourth = make([]float32, o.narrow*o.narrow), make([]float32, o.narrow*o.narrow)
	o.square = kernel.NewDense(path, o.gram, o.narrow, o.narrow)
	return o
}

// place returns where element j of the matrix is held.
func (o *orthogonal) place(j int) int {
	row, column := j/o.columns, j%o.columns
	if o.rows < o.columns {
		row, column = column, row
	}
	return row*o.narrow + column
}

func (o *orthogonal) set(j int, v float32) { o.x[o.place(j)] = v }
func (o *orthogonal) at(j int) float32     { return o.x[o.place(j)] }

// vanishing is a norm below which a gradient is noise. Without this limit the matrices of
// a head that has nothing left to learn would continue making steps of full size, until their
// momentum can no longer be normalized.
const vanishing = 1e-7 // as in Jordan's program

// iterate replaces the matrix. The singular values of a matrix whose norm is not far above
// vanishing stay smaller.
func (o *orthogonal) iterate() {
	sum := 0.0
	for _, v := range o.x {
		sum += float64(v) * float64(v)
	}
	scale := float32(1 / (math.Sqrt(sum) + vanishing))
	for i := range o.x {
		o.x[i] *= scale
	}
	const a, b, c = 3.4445, -4.7750, 2.0315
	n := o.narrow
	for range 5 {
		clear(o.gram)
		o.path.OuterSum(o.gram, o.x, o.x, o.tall, n, n, n)
		o.square.Pack(o.gram)
		o.square.Multiply(o.fourth, o.gram, n)
		for i, v := range o.gram {
			o.gram[i] = b*v + c*o.fourth[i]
		}
		for i := range n {
			o.gram[i*n+i] += a
		}
		o.square.Pack(o.gram)
		o.square.Multiply(o.y, o.x, o.tall)
		o.x, o.y = o.y, o.x
	}
}
