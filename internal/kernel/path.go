package kernel

import (
	"fmt"
	"slices"
	"strings"
)

// Path is one implementation of the loops of the package.
type Path struct {
	// Name is "avx512", "avx2", "neon" or "go".
	Name string
	// wide is for numbers of channels that are multiples of its lanes; narrow is for
	// all others that the package supports.
	wide, narrow *routines
}

// routines are the loops for vectors with a given number of lanes. The Go functions with
// the same names (their twins) document what they compute.
type routines struct {
	lanes  int // channels are multiples of this
	widest int // vectors in the widest panel

	product       products
	outer         outers
	input         func(v, x, line []float32, channels, point int)
	output        func(y, m, bias, line []float32, channels, point int)
	outputAdd     func(y, m, bias, residual, line []float32, channels, point int)
	inputAdjoint  func(dx, dv, line []float32, channels, point int)
	outputAdjoint func(dm, g, sum, dy, y, line []float32, channels, point int)
	axpy          func(y, w []float32, v float32)
	scatter       func(y, w []float32, at, from []int32, values []float32, out int)
	rectify       func(y, bias []float32, rows int)
	pool          func(mean, most, x []float32, channels, row int)

	unfused unfused
}

// products and outers are loops by the number of vectors in a panel.
type (
	products [5]func(c, a, b []float32, k, blocks, aBlock, cBlock, cRow int)
	outers   [5]func(c, a, b []float32, rows, blocks, aBlock, bBlock, aRow, bRow, cRow int)
)

// unfused are loops whose products are not fused with sums.
type unfused struct {
	widest  int
	product products
	axpy    func(y, w []float32, v float32)
	scatter func(y, w []float32, at, from []int32, values []float32, out int)
}

// Paths returns the paths that this processor and build support, the fastest first. The last
// one is always "go".
func Paths() []*Path {
	return append(assembly(), &Path{Name: "go", wide: &twin, narrow: &twin})
}

// Unfused returns the path with multiplications and additions that are rounded one by one. Dense, Planes,
// Rectify and PoolRows then give the same bits on all paths.
func (p *Path) Unfused() *Path {
	replaced := func(r *routines) *routines {
		u := *r
		u.widest, u.product, u.axpy, u.scatter = r.unfused.widest, r.unfused.product, r.unfused.axpy, r.unfused.scatter
		return &u
	}
	return &Path{p.Name, replaced(p.wide), replaced(p.narrow)}
}

// Best returns the fastest path that this processor and build support.
func Best() *Path { return Paths()[0] }

// Named returns the path with the given name. If there is none, the error lists the names.
func Named(name string) (*Path, error) {
	all := Paths()
	i := slices.IndexFunc(all, func(p *Path) bool { return p.Name == name })
	if i < 0 {
		names := make([]string, len(all))
		for i, p := range all {
			names[i] = p.Name
		}
		return nil, fmt.Errorf("no kernels named %q for this processor and build: choose from %s", name, strings.Join(names, ", "))
	}
	return all[i], nil
}

// of returns the routines for the given number of channels.
func (p *Path) of(channels int) *routines {
	if channels%p.wide.lanes == 0 {
		return p.wide
	}
	return p.narrow
}

// any is like of, but returns the plain Go routines if the path does not support this number
// of channels.
func (p *Path) any(channels int) *routines {
	if channels%p.narrow.lanes != 0 {
		return &twin
	}
	return p.of(channels)
}

// columns returns n rounded up to the number of columns that a matrix has with padding.
func (p *Path) columns(n int) int {
	lanes := p.narrow.lanes
	return (n + lanes - 1) / lanes * lanes
}

// panels divides n columns, a multiple of the lanes of r, into panels. For each panel it calls
// f with the first column and the width in vectors. The widths differ by at most one.
func (r *routines) panels(n int, f func(column, vectors int)) {
	vectors := n / r.lanes
	count := (vectors + r.widest - 1) / r.widest
	at := 0
	for i := range count {
		next := vectors * (i + 1) / count
		f(at*r.lanes, next-at)
		at = next
	}
}

// packRow copies row i of a matrix, [k][len(row)], to its place in packed, which contains the
// panels one after another, each as [k][panel].
func (r *routines) packRow(packed, row []float32, i, k int) {
	r.panels(len(row), func(column, vectors int) {
		width := vectors * r.lanes
		copy(packed[column*k+i*width:][:width], row[column:])
	})
}
