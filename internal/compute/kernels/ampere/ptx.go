package ampere

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

// PTX returns the text of the module with the kernels of as many channels.
func (n Network) PTX() ([]byte, error) {
	return kernels.Load(files, n.file(), n.Kernel())
}

func (n Network) file() string { return fmt.Sprintf("ampere%d.ptx.gz", n.Channels) }
