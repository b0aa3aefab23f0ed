package hopper

import (
	"embed"
	"fmt"

	"warren/internal/compute/kernels"
)

// The kernels in PTX, which package source writes.
//
//go:generate go test -run TestPTX -update .
//go:embed *.ptx.gz
var files embed.FS

// PTX returns the text of the tower's module.
func (t Tower) PTX() ([]byte, error) {
	compressed, err := files.ReadFile(t.file())
	if err != nil {
		return nil, fmt.Errorf("the kernel %s in PTX: %w", t.Kernel, err)
	}
	return kernels.Text(compressed)
}

func (t Tower) file() string { return t.Kernel + ".ptx.gz" }

// OuterPTX returns the text of the module of Outer.
func OuterPTX() ([]byte, error) {
	compressed, err := files.ReadFile(outerFile)
	if err != nil {
		return nil, fmt.Errorf("the kernel %s in PTX: %w", Outer, err)
	}
	return kernels.Text(compressed)
}

const outerFile = Outer + ".ptx.gz"
