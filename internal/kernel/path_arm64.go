//go:build arm64 && !purego

package kernel

// Every arm64 processor has NEON.
func assembly() []*Path { return []*Path{{Name: "neon", wide: &neon, narrow: &neon}} }

var neon = routines{
	lanes: 8, widest: 3, // in pairs of vectors
	product: func(pairs int, c, a, b []float32, k, blocks, aBlock, cBlock, cRow int) {
		switch pairs {
		case 1:
			neonProduct1(c, a, b, k, blocks, aBlock, cBlock, cRow)
		case 2:
			neonProduct2(c, a, b, k, blocks, aBlock, cBlock, cRow)
		case 3:
			neonProduct3(c, a, b, k, blocks, aBlock, cBlock, cRow)
		}
	},
	outer: func(pairs int, c, a, b []float32, rows, blocks, aBlock, bBlock, aRow, bRow, cRow int) {
		switch pairs {
		case 1:
			neonOuter1(c, a, b, rows, blocks, aBlock, bBlock, aRow, bRow, cRow)
		case 2:
			neonOuter2(c, a, b, rows, blocks, aBlock, bBlock, aRow, bRow, cRow)
		case 3:
			neonOuter3(c, a, b, rows, blocks, aBlock, bBlock, aRow, bRow, cRow)
		}
	},
	input: neonInput, output: neonOutput, outputAdd: neonOutputAdd,
	inputAdjoint: neonInputAdjoint, outputAdjoint: neonOutputAdjoint,
	axpy: neonAxpy, scatter: neonScatter, rectify: neonRectify, pool: neonPool, nonzero: neonNonzero,
	unfused: unfused{2, neonUnfusedProduct, neonUnfusedAxpy, neonUnfusedScatter},
}

func neonUnfusedProduct(pairs int, c, a, b []float32, k, blocks, aBlock, cBlock, cRow int) {
	switch pairs {
	case 1:
		neonUnfusedProduct1(c, a, b, k, blocks, aBlock, cBlock, cRow)
	case 2:
		neonUnfusedProduct2(c, a, b, k, blocks, aBlock, cBlock, cRow)
	}
}
