package quant

import (
	"iter"
	"slices"
	"strings"

	"warren/internal/kernel"
)

// Unit is one implementation of the loops of the package. The functions in twin.go with the
// same names document what they compute. All units compute the same bits.
type Unit struct {
	name     string
	lanes    int // sums of a vector
	widest   int // vectors in the widest panel of a product
	together int // weights of an output that are neighbours in a panel: 2, or 1 if none are

	product   products
	products  func(c []float32, a, b []int16, scale []float32, panels, k, blocks, aBlock, cBlock, cRow int)
	bytes     *byBytes // nil for a unit that has only product or products
	input     func(v, x []int16, line []float32, channels, point int)
	output    func(y []int16, m, bias, line []float32, channels, square, point int)
	outputAdd func(y []int16, m, bias []float32, residual []int16, ratio, line []float32, channels, square, point int)
	pool      func(mean, most, x []int16, channels int)
	narrow    func(y []int16, x, bias, scale []float32, squares int)
}

// products are loops by the number of vectors in a panel.
type products [5]func(c []float32, a, b []int16, scale []float32, k, blocks, aBlock, cBlock, cRow int)

// plain is the unit in plain Go.
var plain = Unit{
	name: "go", lanes: 2, widest: 1, together: 2,
	product: products{1: product}, input: input, output: output, outputAdd: outputAdd, pool: pool, narrow: narrow,
}

// Units returns the units that this processor and build support, the fastest first. The last is
// always that in plain Go.
func Units() []*Unit { return append(assembly(), &plain) }

// On returns the fastest unit with the vectors of a path of package kernel.
func On(path *kernel.Path) *Unit {
	units := Units()
	i := slices.IndexFunc(units, func(u *Unit) bool { return strings.HasPrefix(u.name, path.Name) })
	if i < 0 { // AVX-512 without the instructions for whole numbers
		i = slices.IndexFunc(units, func(u *Unit) bool { return !strings.HasPrefix(u.name, "avx512") })
	}
	return units[i]
}

// Name returns the name of the unit, such as "go".
func (u *Unit) Name() string { return u.name }

// Pool sets mean and most to the means, rounded, and the maxima of the channels of the board x,
// [64][len(mean)], over its squares.
func (u *Unit) Pool(mean, most, x []int16) {
	u.pool(mean, most[:len(mean)], x[:64*len(mean)], len(mean))
}

// Narrow sets y to the sum of x and bias, times scale, rounded to whole numbers from 0 to Top. Both are
// rows of len(scale) elements.
func (u *Unit) Narrow(y []int16, x, bias, scale []float32) {
	u.narrow(y, x[:len(y)], bias[:len(scale)], scale, len(y)/len(scale))
}

// width is what numbers of channels are rounded up to.
const width = 16

// Rounded returns the number of channels that a board of so many channels has in memory.
func Rounded(channels int) int { return (channels + width - 1) / width * width }

// panels yields panels of nearly the same width into which n columns, a multiple of the lanes of u, are
// divided: the first column and the width in vectors.
func (u *Unit) panels(n int) iter.Seq2[int, int] {
	return func(yield func(column, vectors int) bool) {
		vectors := n / u.lanes
		count := (vectors + u.widest - 1) / u.widest
		at := 0
		for i := range count {
			next := vectors * (i + 1) / count
			if !yield(at*u.lanes, next-at) {
				return
			}
			at = next
		}
	}
}

// widestPanels is the number of panels of n columns if all are as wide as possible.
func (u *Unit) widestPanels(n int) int { return n / (u.widest * u.lanes) }

// multiply sets n columns of c to the product of blocks of rows of a by the panels of b, as the unit's
// product does for one panel. A unit whose panels all have the widest width may have products instead,
// which takes all of them at once: for a single board, a call for each costs a tenth of the time.
func (u *Unit) multiply(n int, c []float32, a, b []int16, scale []float32, k, blocks, aBlock, cBlock, cRow int) {
	if u.products != nil {
		u.products(c, a, b, scale, u.widestPanels(n), k, blocks, aBlock, cBlock, cRow)
		return
	}
	for column, vectors := range u.panels(n) {
		u.product[vectors](c[column:], a, b[column*k:], scale[column:], k, blocks, aBlock, cBlock, cRow)
	}
}

// pack lays out the rows of a matrix, [n][k], one for each column of the product: the panels one
// after another, each as [k/together][panel][together].
func (u *Unit) pack(packed, rows []int16, k, n int) {
	for column, vectors := range u.panels(n) {
		panel := vectors * u.lanes
		to := packed[column*k:]
		for j := range panel {
			for i, w := range rows[(column+j)*k:][:k] {
				to[(i/u.together*panel+j)*u.together+i%u.together] = w
			}
		}
	}
}
