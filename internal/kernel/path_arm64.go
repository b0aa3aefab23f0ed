//go:build arm64 && !purego

package kernel

// Every arm64 processor has NEON.
func assembly() []*Path { return []*Path{{Name: "neon", wide: &neon, narrow: &neon}} }

var neon = routines{
	lanes: 8, widest: 3, // in pairs of vectors
	product: products{1: neonProduct1, 2: neonProduct2, 3: neonProduct3},
	outer:   outers{1: neonOuter1, 2: neonOuter2, 3: neonOuter3},
	input:   neonInput, output: neonOutput, outputAdd: neonOutputAdd,
	inputAdjoint: neonInputAdjoint, outputAdjoint: neonOutputAdjoint,
	axpy: neonAxpy, scatter: neonScatter, rectify: neonRectify, pool: neonPool,
	unfused: unfused{2, products{1: neonUnfusedProduct1, 2: neonUnfusedProduct2}, neonUnfusedAxpy, neonUnfusedScatter},
}
