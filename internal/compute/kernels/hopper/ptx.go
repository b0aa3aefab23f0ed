package hopper

import (
	"embed"

	"warren/internal/compute/kernels"
)

// The kernels in PTX, which package source writes.
//
//go:generate go test -run TestPTX -update .
//go:embed *.ptx.gz
var files embed.FS

// PTX returns the text of the tower's module.
func (t Tower) PTX() ([]byte, error) {
	return kernels.Load(files, t.file(), t.Kernel)
}

func (t Tower) file() string { return t.Kernel + ".ptx.gz" }

// OuterPTX returns the text of the module of Outer.
func OuterPTX() ([]byte, error) {
	return kernels.Load(files, outerFile, Outer)
}

const outerFile = Outer + ".ptx.gz"
