//go:build arm64 && !purego

package quant

import "golang.org/x/sys/cpu"

// Every arm64 processor has NEON. Some multiply matrices of bytes.
func assembly() []*Unit {
	if cpu.ARM64.HasI8MM {
		i8mm := neon
		i8mm.name, i8mm.bytes = "neon-i8mm", &byBytes{neonPoints, packPairs, 8, 0}
		return []*Unit{&i8mm, &neon}
	}
	return []*Unit{&neon}
}

var neon = Unit{
	name: "neon", lanes: 8, widest: 2, together: 1, // eight sums are a pair of vectors
	product: products{2: neonProduct}, // the only one, because widths of matrices are multiples of 16
	input:   neonInput, output: neonOutput, outputAdd: neonOutputAdd,
	pool: neonPool, narrow: neonNarrow,
}

func neonPoints(p *pointProducts) {
	work := p.work[:workBytes(p.k, p.blocks)]
	for point := range points {
		a, c := p.a[point*p.aPoint:][:(p.blocks-1)*p.aBlock+4*p.k], p.c[point*p.cPoint:][:(p.blocks-1)*p.cBlock+4*p.n]
		b, scale := p.b[point*p.n*p.k:][:p.n*p.k], p.scale[point*p.n:][:p.n]
		neonBytes(c, a, b, scale, work, p.k, p.blocks, p.aBlock, p.cBlock, p.n)
	}
}

// packPairs lays out the rows of a matrix, [n][k], one for each column of the product, as [n/4][k/8],
// then for each pair of the four columns the high bytes of their eight inputs, and the low bytes.
func packPairs(packed, rows []int16, k, n int) {
	for o := range n {
		for i := 0; i < k; i += 2 {
			to := packed[o/4*4*k+i/8*32+o%4/2*16+o%2*4+i%8/2:]
			to[8], to[0] = split(rows[o*k+i], rows[o*k+i+1])
		}
	}
}
