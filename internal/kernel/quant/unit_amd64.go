//go:build amd64 && !purego

package quant

import "golang.org/x/sys/cpu"

func assembly() (units []*Unit) {
	if !cpu.X86.HasAVX2 || !cpu.X86.HasFMA {
		return nil
	}
	if cpu.X86.HasAVX512F && cpu.X86.HasAVX512BW {
		if cpu.X86.HasAVX512VNNI {
			vnni := avx512
			vnni.name, vnni.product = "avx512-vnni", products{1: avx512Dot1, 2: avx512Dot2, 3: avx512Dot3, 4: avx512Dot4}
			units = append(units, &vnni)
		}
		units = append(units, &avx512)
	}
	return append(units, &avx2)
}

var avx512 = Unit{
	name: "avx512", lanes: 16, widest: 4, together: 2,
	product: products{1: avx512Product1, 2: avx512Product2, 3: avx512Product3, 4: avx512Product4},
	input:   avx512Input, output: avx512Output, outputAdd: avx512OutputAdd,
	pool: avx512Pool, narrow: avx512Narrow,
}

var avx2 = Unit{
	name: "avx2", lanes: 8, widest: 2, together: 2,
	products: avx2Products, input: avx2Input, output: avx2Output, outputAdd: avx2OutputAdd,
	pool: avx2Pool, narrow: avx2Narrow,
}
