// Command asm generates the assembly of packages kernel, bf16 and quant for one instruction set, with
// avo. It is a separate module, so that the project needs avo only when the assembly changes.
// Running go generate in those packages runs it.
//
// The routines of AVX-512 and AVX2 come from the same program, with vectors of 16 or 8 numbers
// and with 32 or 16 registers. Their plain Go twins in ../twin.go and ../tiles.go specify what
// each routine computes. Those of the tile unit (AMX) have theirs in ../bf16/twin.go, and those for
// whole numbers, which -pkg quant asks for, in ../quant/twin.go and, for tiles, ../quant/bytes.go.
package main

import (
	"flag"
	"log"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
)

func main() {
	name := flag.String("isa", "", "instruction set: avx512, avx2 or amx")
	flag.Parse() // also parses the flags of avo: -out, -stubs, -pkg
	build.ConstraintExpr("amd64,!purego")
	whole := flag.Lookup("pkg").Value.String() == "quant"
	if *name == "amx" && whole {
		wholeNumbers()
	} else if *name == "amx" {
		onTiles()
	} else if s, ok := sets[*name]; ok && whole {
		s.integers()
	} else if ok {
		s.everything()
	} else {
		log.Fatalf("-isa is %q, must be avx512, avx2 or amx", *name)
	}
	build.Generate()
}

// everything generates the routines of package kernel.
func (s *set) everything() {
	s.constants = make(map[float32]operand.Mem)
	for n := 1; n <= s.widest; n++ {
		s.product(n, true)
		s.outer(n)
	}
	for n := 1; n <= len(s.v)/8; n++ { // one more register is needed
		s.product(n, false)
	}
	s.input()
	s.output(false)
	s.output(true)
	s.inputAdjoint()
	s.outputAdjoint()
	s.axpy(true)
	s.axpy(false)
	s.scatter(true)
	s.scatter(false)
	s.rectify()
	s.pool()
}

// onTiles generates the routines of package bf16.
func onTiles() {
	for _, boards := range []int{1, 2} {
		convolution(boards, false)
		convolution(boards, true)
		squares(boards)
	}
	poolBoard()
	narrowBoard()
	doubleChannels()
	extendedState()
}
