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
// The tile unit (AMX) multiplies bytes (bytes.go). No processor has run it yet. Counted with
// llvm-mca for Sapphire Rapids, VNNI on two ports and 16 cycles for a product of tiles, a
// convolution of a board with 64, 128 and 256 channels takes 8,100, 20,000 and 61,000 cycles, or
// 12,700, 29,700 and 76,000 if tiles and vectors take turns. VNNI takes 14,900, 48,300 and
// 170,000, and bf16, measured, 4,700, 16,200 and 79,000.
//
// Activations have the layout [board][square][channel]. The number of channels is rounded up
// to a multiple of 16 ([Rounded]); the channels added are zero.
package quant

//go:generate go -C ../asm run . -isa avx512 -out ../quant/avx512_amd64.s -stubs ../quant/avx512_amd64.go -pkg quant
//go:generate go -C ../asm run . -isa avx2 -out ../quant/avx2_amd64.s -stubs ../quant/avx2_amd64.go -pkg quant
//go:generate go -C ../asm run . -isa amx -out ../quant/amx_amd64.s -stubs ../quant/amx_amd64.go -pkg quant
//go:generate go -C ../asm run ./neon -pkg quant -out ../quant/neon_arm64.s -stubs ../quant/neon_arm64.go
