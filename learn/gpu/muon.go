package gpu

import (
	"warren/internal/compute"
	"warren/internal/compute/kernels"
	"warren/learn"
	"warren/net"
)

// muon adds the launches of Muon to the update, as in package learn. Each matrix is changed by its
// momentum, made orthogonal; the matrices follow one another in the same memory. Everything else is
// changed by the kernel adam, which elements adds.
func (u *update) muon(params []net.Param, gradient compute.Buffer, elements func(kernel string, at, count int)) {
	scratch := newOrthogonal(u, params)
	at := 0
	for _, p := range params {
		size := len(p.Data)
		if rows, columns, ok := learn.Flattened(p); ok {
			each := [2]int{groups(size), 1}
			u.launches = append(u.launches, u.run("look", each, gradient, u.factors.buffer, u.moments[0], scratch.x, at, rows, columns))
			u.launches = append(u.launches, scratch.iteration(max(rows, columns), min(rows, columns))...)
			u.launches = append(u.launches, u.run("muon", each, u.weights, u.factors.buffer, scratch.y, at, rows, columns))
		} else {
			elements("adam", at, size)
		}
		at += size
	}
}

// orthogonal makes matrices orthogonal by the Newton-Schulz iteration, like the type of package
// learn. Its memory is large enough for the largest matrix of a network.
type orthogonal struct {
	*memory
	x, y         compute.Buffer // [tall][narrow]: what is given, and the result
	gram, fourth compute.Buffer // [narrow][narrow], and a row of gram that is not used
	parts        compute.Buffer // of gram
	squares      compute.Buffer // of x
	made         map[[2]int][]compute.Launch
}

func newOrthogonal(u *update, params []net.Param) *orthogonal {
	o := &orthogonal{memory: u.memory, squares: u.squares.buffer, made: map[[2]int][]compute.Launch{}}
	size, square, parts := 1, 1, 1
	for _, p := range params {
		if rows, columns, ok := learn.Flattened(p); ok {
			w := product(min(rows, columns))
			count, _ := w.split(max(rows, columns))
			size, square, parts = max(size, rows*columns), max(square, w.size()), max(parts, count*w.size())
		}
	}
	o.x, o.y = u.buffer(size), u.buffer(size)
	o.gram, o.fourth, o.parts = u.buffer(square), u.buffer(square), u.buffer(parts)
	return o
}

// product is a layer whose weights are a square matrix.
func product(n int) matrix { return matrix{in: n, out: n, taps: 1} }

// iteration returns the launches that set y, and overwrite x. They are the same for all matrices
// of a size.
func (o *orthogonal) iteration(tall, narrow int) []compute.Launch {
	size := [2]int{tall, narrow}
	if o.made[size] != nil {
		return o.made[size]
	}
	n, w := tall*narrow, product(narrow)
	each := [2]int{groups(narrow * narrow), 1}
	parts, rows := w.split(tall)
	grid := tiles(narrow+1, narrow)
	grid[1] *= parts
	sum := o.run("sumParts", [2]int{groups(w.size()), 1}, o.parts, o.gram, 0, w.size(), parts)
	// These matrices are symmetric, so the product with the transposed matrix is the product with
	// the matrix itself. It has no bias.
	square := o.run("inputGradient", tiles(narrow, narrow), o.gram, o.gram, 0, o.fourth, narrow, narrow, narrow, 1, 0)
	polynomial := o.run("polynomial", each, o.gram, o.fourth, narrow)
	step := func(x, y compute.Buffer) []compute.Launch {
		// The gradient by the weights of a layer is the product of its transposed input and
		// the gradient by its result.
		gram := o.run("weightGradient", grid, x, x, o.parts, tall, narrow, narrow, 1, rows)
		multiply := o.run("inputGradient", tiles(tall, narrow), x, o.gram, 0, y, tall, narrow, narrow, 1, 0)
		return []compute.Launch{gram, sum, square, polynomial, multiply}
	}
	all := []compute.Launch{
		o.run("sumSquares", [2]int{(n + kernels.SquaresSummed - 1) / kernels.SquaresSummed, 1}, o.x, o.squares, n),
		o.run("unitNorm", [2]int{groups(n), 1}, o.x, o.squares, n),
	}
	there, back := step(o.x, o.y), step(o.y, o.x)
	for i := range 5 {
		if i%2 == 0 {
			all = append(all, there...)
		} else {
			all = append(all, back...)
		}
	}
	o.made[size] = all
	return all
}
