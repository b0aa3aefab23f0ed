// Command asm generates the assembly of package kernel for one instruction set, with avo. It is
// a separate module, so that the project needs avo only when the assembly changes. Running go
// generate in package kernel runs it.
//
// The routines of the two instruction sets come from the same program, with vectors of 16 or 8
// numbers and with 32 or 16 registers. Their plain Go twins in ../twin.go and ../tiles.go specify
// what each routine computes.
package main

import (
	"flag"
	"log"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
)

func main() {
	name := flag.String("isa", "", "instruction set: avx512 or avx2")
	flag.Parse() // also parses the flags of avo: -out, -stubs, -pkg
	s, ok := sets[*name]
	if !ok {
		log.Fatalf("-isa is %q, must be avx512 or avx2", *name)
	}
	s.constants = make(map[float32]operand.Mem)
	build.ConstraintExpr("amd64,!purego")
	for n := 1; n <= s.widest; n++ {
		s.product(n)
		s.outer(n)
	}
	s.input()
	s.output(false)
	s.output(true)
	s.inputAdjoint()
	s.outputAdjoint()
	s.axpy()
	s.rectify()
	s.pool()
	s.nonzero()
	build.Generate()
}
