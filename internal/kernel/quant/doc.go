// Package quant computes convolutions over boards in whole numbers: activations and
// weights are int16, sums are int32 and exact. What floating point remains, the scaling of
// sums and the output transform, has a fixed order of operations, none of which depends on
// whether the processor fuses a multiplication with an addition. So the results have the
// same bits on every processor.
//
// The convolution is Winograd's F(4,3), as in package kernel. bounds.go says why no number
// can overflow.
//
// A [Unit] is one implementation of the loops. The one in plain Go, in twin.go, specifies
// what every other computes.
//
// The tile unit (AMX) multiplies bytes (bytes.go). On a Xeon, in batches of 8, it takes 0.92 of the
// time of VNNI for a network of 64 channels and 0.66 for one of 128 (docs/reference/benchmarks.md).
//
// Activations have the layout [board][square][channel]. The number of channels is rounded up
// to a multiple of 16 ([Rounded]); the channels added are zero.
package quant

//go:generate go -C ../asm run . -isa avx512 -out ../quant/avx512_amd64.s -stubs ../quant/avx512_amd64.go -pkg quant
//go:generate go -C ../asm run . -isa avx2 -out ../quant/avx2_amd64.s -stubs ../quant/avx2_amd64.go -pkg quant
//go:generate go -C ../asm run . -isa amx -out ../quant/amx_amd64.s -stubs ../quant/amx_amd64.go -pkg quant
//go:generate go -C ../asm run ./neon -pkg quant -out ../quant/neon_arm64.s -stubs ../quant/neon_arm64.go
