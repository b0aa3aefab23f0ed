// Package kernel implements the few numeric loops in which the network spends most of
// its time, in evaluation and in training.
//
// The loops exist in four forms: assembly for AVX-512, for AVX2 with FMA and for NEON, which
// every arm64 processor has, and plain Go. The module in directory asm generates the assembly.
// The plain Go form runs on all other machines and specifies what the assembly computes. A
// [Path] is one of these forms, and [Best] returns the fastest one that the processor
// supports.
//
// Everything is single-threaded. An output element has the same bits whatever else is
// computed in the same call: it is one sum in a fixed order that never depends on the
// number of positions. Different paths differ by rounding.
//
// Activations have the layout [board][square][channel], and a board has 8x8 squares. The
// exported functions check bounds; the assembly does not.
package kernel

//go:generate go -C asm run . -isa avx512 -out ../avx512_amd64.s -stubs ../avx512_amd64.go -pkg kernel
//go:generate go -C asm run . -isa avx2 -out ../avx2_amd64.s -stubs ../avx2_amd64.go -pkg kernel
//go:generate go -C asm run ./neon -pkg kernel -out ../neon_arm64.s -stubs ../neon_arm64.go
