//go:build arm64 && !purego

package quant

// Every arm64 processor has NEON.
func assembly() []*Unit { return []*Unit{&neon} }

var neon = Unit{
	name: "neon", lanes: 8, widest: 2, together: 1, // eight sums are a pair of vectors
	product: neonPanel, input: neonInput, output: neonOutput, outputAdd: neonOutputAdd,
	pool: neonPool, narrow: neonNarrow,
}

// neonPanel needs no other widths, because those of matrices are multiples of 16.
func neonPanel(_ int, c []float32, a, b []int16, scale []float32, k, blocks, aBlock, cBlock, cRow int) {
	neonProduct(c, a, b, scale, k, blocks, aBlock, cBlock, cRow)
}
