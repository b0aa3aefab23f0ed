// Command asm writes the assembly of package kernel for one instruction set,
// with avo. It is a module of its own, so that the project needs avo only when
// the assembly changes; go generate in package kernel runs it.
//
// The routines of the two instruction sets are the same program with vectors of
// 16 or of 8 numbers and 32 or 16 registers. Their plain-Go twins, which say
// what each has to compute, are in ../twin.go.
package main

import (
	"flag"
	"log"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
)

func main() {
	name := flag.String("isa", "", "instruction set: avx512 or avx2")
	flag.Parse() // avo's own flags too: -out, -stubs, -pkg
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
