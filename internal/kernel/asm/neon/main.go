// Command neon generates the assembly of packages kernel and quant for NEON, the vector unit that every
// arm64 processor has. It is like its parent, which generates that of amd64, but avo knows only
// amd64. The plain Go twins, in ../../twin.go, ../../tiles.go and ../../quant/twin.go, specify what each
// routine computes; for products of bytes, ../../quant/bytes.go does.
//
// A vector has four numbers of fp32. There are 32 registers, and an instruction can multiply by a lane of
// one. So a product keeps 24 registers of sums, needs no broadcasts, and reads four inputs of
// a row at once.
package main

import (
	"flag"
	"log"
	"os"
	"strings"
)

func main() {
	pkg := flag.String("pkg", "", "package: kernel or quant")
	out := flag.String("out", "", "file of the assembly")
	stubs := flag.String("stubs", "", "file of the declarations")
	flag.Parse()
	f := newFile(strings.Join(os.Args[1:], " "), *pkg)
	switch *pkg {
	case "kernel":
		f.everything()
	case "quant":
		f.integers()
	default:
		log.Fatalf("-pkg is %q, must be kernel or quant", *pkg)
	}
	if err := f.write(*out, *stubs); err != nil {
		log.Fatal(err)
	}
}
