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
	compressed, err := files.ReadFile(n.file())
	if err != nil {
		return nil, fmt.Errorf("the kernel %s in PTX: %w", n.Kernel(), err)
	}
	return kernels.Text(compressed)
}

func (n Network) file() string { return fmt.Sprintf("ampere%d.ptx.gz", n.Channels) }
