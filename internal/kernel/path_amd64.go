//go:build amd64 && !purego

package kernel

import "golang.org/x/sys/cpu"

func assembly() []*Path {
	if !cpu.X86.HasAVX2 || !cpu.X86.HasFMA {
		return nil
	}
	paths := []*Path{{Name: "avx2", wide: &avx2, narrow: &avx2}}
	if cpu.X86.HasAVX512F {
		paths = append([]*Path{{Name: "avx512", wide: &avx512, narrow: &avx2}}, paths...)
	}
	return paths
}

var avx512 = routines{
	lanes: 16, widest: 4,
	product: products{1: avx512Product1, 2: avx512Product2, 3: avx512Product3, 4: avx512Product4},
	outer:   outers{1: avx512Outer1, 2: avx512Outer2, 3: avx512Outer3, 4: avx512Outer4},
	input:   avx512Input, output: avx512Output, outputAdd: avx512OutputAdd,
	inputAdjoint: avx512InputAdjoint, outputAdjoint: avx512OutputAdjoint,
	axpy: avx512Axpy, scatter: avx512Scatter, rectify: avx512Rectify, pool: avx512Pool,
	unfused: unfused{4, products{1: avx512UnfusedProduct1, 2: avx512UnfusedProduct2, 3: avx512UnfusedProduct3, 4: avx512UnfusedProduct4}, avx512UnfusedAxpy, avx512UnfusedScatter},
}

var avx2 = routines{
	lanes: 8, widest: 3,
	product: products{1: avx2Product1, 2: avx2Product2, 3: avx2Product3},
	outer:   outers{1: avx2Outer1, 2: avx2Outer2, 3: avx2Outer3},
	input:   avx2Input, output: avx2Output, outputAdd: avx2OutputAdd,
	inputAdjoint: avx2InputAdjoint, outputAdjoint: avx2OutputAdjoint,
	axpy: avx2Axpy, scatter: avx2Scatter, rectify: avx2Rectify, pool: avx2Pool,
	unfused: unfused{2, products{1: avx2UnfusedProduct1, 2: avx2UnfusedProduct2}, avx2UnfusedAxpy, avx2UnfusedScatter},
}
