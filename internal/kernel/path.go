package kernel

import (
	"fmt"
	"slices"
	"strings"
)

// Path is one form of the package's loops.
type Path struct {
	// Name is "avx512", "avx2" or "go".
	Name string
	// wide serves channels in multiples of its lanes, narrow all that the
	// package takes.
	wide, narrow *routines
}

// routines are the loops for vectors of a number of lanes. Their twins in
// twin.go say what they do.
type routines struct {
	lanes  int // channels are multiples of this
	widest int // vectors in the widest panel

	product       func(vectors int, c, a, b []float32, k, blocks, aBlock, cBlock, cRow int)
	outer         func(vectors int, c, a, b []float32, rows, blocks, aBlock, bBlock, aRow, bRow, cRow int)
	input         func(v, x, line []float32, channels, point int)
	output        func(y, m, bias, line []float32, channels, point int)
	outputAdd     func(y, m, bias, residual, line []float32, channels, point int)
	inputAdjoint  func(dx, dv, line []float32, channels, point int)
	outputAdjoint func(dm, g, sum, dy, y, line []float32, channels, point int)
	axpy          func(y, w []float32, v float32)
	rectify       func(y, bias []float32, rows int)
	pool          func(mean, most, x []float32, channels, row int)
	nonzero       func(bits []uint64, x []float32)
}

// Paths returns what this processor can take, the fastest first. The last is
// always "go".
func Paths() []*Path {
	return append(assembly(), &Path{Name: "go", wide: &twin, narrow: &twin})
}

// Best returns the fastest path.
func Best() *Path { return Paths()[0] }

// Named returns the path with this name. The error says which there are.
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

// of returns the routines for a number of channels.
func (p *Path) of(channels int) *routines {
	if channels%p.wide.lanes == 0 {
		return p.wide
	}
	return p.narrow
}

// any is of, or the twin where the path has nothing for so many channels.
func (p *Path) any(channels int) *routines {
	if channels%p.narrow.lanes != 0 {
		return &twin
	}
	return p.of(channels)
}

// columns returns how many columns a matrix of n takes up with padding.
func (p *Path) columns(n int) int {
	lanes := p.narrow.lanes
	return (n + lanes - 1) / lanes * lanes
}

// panels calls f for every panel of n columns, a multiple of r's lanes: where it
// begins and how many vectors wide it is. Widths differ by one at most.
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

// packRow puts row i of a matrix of k rows, [k][len(row)], into its panels: the
// whole [k][panel] of one panel after another.
func (r *routines) packRow(packed, row []float32, i, k int) {
	r.panels(len(row), func(column, vectors int) {
		width := vectors * r.lanes
		copy(packed[column*k+i*width:][:width], row[column:])
	})
}
