package gpu

import (
	"slices"

	"warren/internal/compute"
	"warren/internal/compute/kernels"
	"warren/internal/learn"
	"warren/net"
)

// muon adds the launches of Muon to the update, as in package learn. Each matrix is changed by its
// momentum, made orthogonal. A launch takes all matrices of a batch, because most are so small that
// a launch for each would cost more than its work. For everything else it calls adam, which adds its
// launch.
func (u *update) muon(params []net.Param, gradient, momentum compute.Buffer, adam func(at, count int)) {
	at := 0
	for _, p := range params {
		if _, _, ok := learn.Flattened(p); !ok {
			adam(at, len(p.Data))
		}
		at += len(p.Data)
	}
	all := batches(params)
	if len(all) == 0 {
		return
	}
	scratch := newOrthogonal(u.memory, all)
	var numbers []int32
	for _, m := range slices.Concat(all...) {
		numbers = append(numbers, int32(m.at), int32(m.rows), int32(m.columns))
	}
	places, first := u.constants(numbers), 0
	for _, b := range all {
		tall, narrow := b[0].size()
		n, each := tall*narrow, [2]int{groups(tall * narrow), len(b)}
		u.add(each, kernels.Look{
			G: gradient, Factors: u.factors.buffer, Momentum: momentum, X: scratch.x, Places: places, First: first, N: n,
		})
		u.launches = append(u.launches, scratch.iteration(tall, narrow, len(b))...)
		u.add(each, kernels.Muon{W: u.weights, Factors: u.factors.buffer, X: scratch.y, Places: places, First: first, N: n})
		first += len(b)
	}
}

// placed is a matrix among the parameters.
type placed struct{ at, rows, columns int }

// size is that of the matrix when it has at least as many rows as columns.
func (p placed) size() (tall, narrow int) { return max(p.rows, p.columns), min(p.rows, p.columns) }

// batches returns the matrices of parameters. Those of a batch have the same size.
func batches(params []net.Param) [][]placed {
	type size struct{ tall, narrow int }
	var sizes []size // in the order of the parameters
	bySize := map[size][]placed{}
	at := 0
	for _, p := range params {
		if rows, columns, ok := learn.Flattened(p); ok {
			m := placed{at, rows, columns}
			var s size
			s.tall, s.narrow = m.size()
			if bySize[s] == nil {
				sizes = append(sizes, s)
			}
			bySize[s] = append(bySize[s], m)
		}
		at += len(p.Data)
	}
	var all [][]placed
	for _, s := range sizes {
		all = slices.AppendSeq(all, slices.Chunk(bySize[s], together(s.tall, s.narrow)))
	}
	return all
}

// together is the most matrices of a size that make a batch. More would need more memory and make a
// large device no faster. The grid of a launch for several is at most manyGroups wide, which every
// driver takes.
func together(tall, narrow int) int {
	grid := tiles(tall, narrow)
	return max(1, manyGroups/(grid[0]*grid[1]))
}

// orthogonal makes the matrices of a batch orthogonal by the Newton-Schulz iteration, like the type
// of package learn. Its memory is large enough for any batch, whose matrices follow one another.
type orthogonal struct {
	*memory
	x, y         compute.Buffer // [tall][narrow]: what is given, and the result
	gram, fourth compute.Buffer // [narrow][narrow], and a row that is not used
	parts        compute.Buffer // of gram
	squares      compute.Buffer // of x, in sums
}

func newOrthogonal(m *memory, all [][]placed) *orthogonal {
	o := &orthogonal{memory: m}
	var size, square, parts, squares int
	for _, b := range all {
		tall, narrow := b[0].size()
		w := product(narrow)
		count, _ := w.split(tall)
		size, square = max(size, len(b)*tall*narrow), max(square, len(b)*w.size())
		parts, squares = max(parts, len(b)*count*w.size()), max(squares, len(b)*sums(tall*narrow))
	}
	o.x, o.y = m.buffer(size), m.buffer(size)
	o.gram, o.fourth, o.parts, o.squares = m.buffer(square), m.buffer(square), m.buffer(parts), m.buffer(squares)
	return o
}

// product is a layer whose weights are a square matrix.
func product(n int) matrix { return matrix{in: n, out: n, taps: 1} }

// iteration returns the launches that set y, and overwrite x, of a number of matrices.
func (o *orthogonal) iteration(tall, narrow, count int) []compute.Launch {
	n, w := tall*narrow, product(narrow)
	parts, rows := w.split(tall)
	each := func(n int) [2]int { return [2]int{n, count} }
	products := func(rows, parts int) [2]int {
		grid := tiles(rows, narrow)
		return [2]int{grid[0], grid[1] * parts * count}
	}
	sum := o.run(each(groups(w.size())), kernels.SumParts{X: o.parts, Y: o.gram, N: w.size(), Parts: parts})
	// These matrices are symmetric, so the product with the transposed matrix is the product with
	// the matrix itself. It is taken of the row that is not used, too, so that the matrices of a
	// batch are as far from one another in fourth as in gram.
	square := o.run(products(narrow+1, 1), kernels.InputGradient{
		G: o.gram, W: o.gram, Dx: o.fourth, Rows: narrow + 1, In: narrow, Out: narrow, Taps: 1,
	})
	polynomial := o.run(each(groups(narrow*narrow)), kernels.Polynomial{A: o.gram, Square: o.fourth, N: narrow})
	step := func(x, y compute.Buffer) []compute.Launch {
		// The gradient by the weights of a layer is the product of its transposed input and
		// the gradient by its result.
		gram := o.run(products(narrow+1, parts), kernels.WeightGradient{
			X: x, G: x, Parts: o.parts, Rows: tall, In: narrow, Out: narrow, Taps: 1, PartRows: rows,
		})
		multiply := o.run(products(tall, 1), kernels.InputGradient{
			G: x, W: o.gram, Dx: y, Rows: tall, In: narrow, Out: narrow, Taps: 1,
		})
		return []compute.Launch{gram, sum, square, polynomial, multiply}
	}
	all := []compute.Launch{
		o.run(each(sums(n)), kernels.SumSquares{X: o.x, Y: o.squares, N: n}),
		o.run(each(groups(n)), kernels.UnitNorm{X: o.x, Squares: o.squares, N: n}),
	}
	there, back := step(o.x, o.y), step(o.y, o.x)
	for i := range 5 {
		if i%2 == 0 {
			all = append(all, there...)
		} else {
			all = append(all, back...)
		}
	}
	return all
}

// sums is the number of sums that the kernel sumSquares makes of n squares.
func sums(n int) int { return (n + kernels.SquaresSummed - 1) / kernels.SquaresSummed }
