package gpu

import (
	"warren/internal/compute"
	"warren/internal/compute/kernels"
	"warren/internal/learn"
	"warren/net"
)

// muon adds the launches of Muon to the update, as in package learn. Each matrix is changed by its
// momentum, made orthogonal. A launch takes all matrices, because most are so small that a launch for
// each would cost more than its work.
func (u *update) muon(params []net.Param, gradient, momentum compute.Buffer) {
	m := matricesOf(params)
	if m.count == 0 {
		return
	}
	x, parts, sums := u.buffer(m.x), u.buffer(m.parts), u.buffer(m.sums)
	s := sets{u, m, u.buffer(numSets * m.squares), u.constants(m.table)}
	scales := u.buffer(m.count)
	u.add(s.groups(m.largest.sums), kernels.Look{
		G: gradient, Factors: u.factors.buffer, Momentum: momentum, X: x, Squares: sums, Matrices: s.table,
	})
	u.add(s.groups(m.largest.parts), kernels.Gram{X: x, Parts: parts, Matrices: s.table})
	u.add(s.groups(m.largest.squares), kernels.SumGram{Parts: parts, Squares: sums, Scales: scales, Sets: s.buffer, Matrices: s.table})
	q := s.iteration()
	u.add(s.groups(m.largest.x), kernels.Muon{
		W: u.weights, Factors: u.factors.buffer, X: x, Q: s.buffer, QAt: q * m.squares, Scales: scales, Matrices: s.table,
	})
}

// matrices are those that Muon changes.
type matrices struct {
	count                   int
	table                   []int32 // as muon.cl describes it
	x, squares, parts, sums int     // numbers in their memory

	largest struct{ x, squares, parts, sums, tiles int } // groups
}

func matricesOf(params []net.Param) (m matrices) {
	at := 0
	for _, p := range params {
		if rows, columns, ok := learn.Flattened(p); ok {
			m.add(at, rows, columns)
		}
		at += len(p.Data)
	}
	return m
}

// add adds a matrix among the parameters.
func (m *matrices) add(at, rows, columns int) {
	tall, narrow := max(rows, columns), min(rows, columns)
	square, count := narrow*narrow, ratio(tall, kernels.PartRows(narrow))
	for _, n := range []int{at, rows, columns, m.x, m.squares, m.parts, count, m.sums} {
		m.table = append(m.table, int32(n))
	}
	m.count++
	m.x, m.squares, m.parts, m.sums = m.x+rows*columns, m.squares+square, m.parts+count*square, m.sums+sums(rows*columns)
	side, l := ratio(narrow, kernels.Side), &m.largest
	tiles := side * (side + 1) / 2 // on and above the diagonal
	l.x, l.squares, l.parts = max(l.x, ratio(tall, kernels.Side)*side), max(l.squares, ratio(square, 256)), max(l.parts, tiles*count)
	l.sums, l.tiles = max(l.sums, sums(rows*columns)), max(l.tiles, tiles)
}

// ratio returns a/b, rounded up.
func ratio(a, b int) int { return (a + b - 1) / b }

// sums is the number of sums of squares of n numbers.
func sums(n int) int { return ratio(n, kernels.SquaresSummed) }

// sets are symmetric matrices, one for each of Muon's in every set.
type sets struct {
	update        *update
	of            matrices
	buffer, table compute.Buffer
}

// The sets.
const (
	gramSet       = 0 // and 1, by turns
	productSet    = 2 // and 3: the product of the polynomials so far
	polynomialSet = 4
	squareSet     = 5 // of the polynomial
	numSets       = 6
)

func (s sets) groups(n int) [2]int { return [2]int{n, s.of.count} }

// iteration adds the launches of the Newton-Schulz iteration, and returns the set of the products of
// all polynomials.
func (s sets) iteration() (q int) {
	const steps = 5
	a, p, q := gramSet, productSet, productSet // the first polynomial is their product
	for step := range steps {
		s.multiply(kernels.Products{Left: a, Right: a, To: p, Polynomial: true})
		switch step {
		case 0:
			s.multiply(kernels.Products{Left: p, Right: p, To: squareSet})
		case steps - 1:
			s.multiply(kernels.Products{Left: q, Right: p, To: q ^ 1})
			return q ^ 1
		default:
			s.multiply(kernels.Products{Left: p, Right: p, To: squareSet, OtherLeft: q, OtherRight: p, OtherTo: q ^ 1})
			q ^= 1
		}
		s.multiply(kernels.Products{Left: a, Right: squareSet, To: a ^ 1})
		a, p = a^1, polynomialSet
	}
	return q
}

// multiply adds a launch of one product, or of two.
func (s sets) multiply(c kernels.Products) {
	c.Sets, c.Matrices, c.Size, c.Tiles = s.buffer, s.table, s.of.squares, s.of.largest.tiles
	n := c.Tiles
	if c.OtherTo != 0 {
		n *= 2
	}
	s.update.add(s.groups(n), c)
}
