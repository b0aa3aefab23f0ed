package kernels

import (
	"bytes"
	"compress/gzip"
	"embed"
	"fmt"
	"io"
)

// The kernels in PTX, which clang 15 makes of the source.
//
//go:generate go test -run TestPTX -update .
var (
	//go:embed fp32.ptx.gz
	fp32 []byte
	//go:embed fp16.ptx.gz
	fp16 []byte
	//go:embed training.ptx.gz
	training []byte
	//go:embed mixed.ptx.gz
	mixed []byte
)

// ptx returns the kernels in PTX. In fp16 they are for tensor cores, and so for devices of
// compute capability 8.0 and later; in fp32 for those of 6.0 and later.
func (f Form) ptx() ([]byte, error) {
	compressed := fp32
	switch {
	case f.Half && f.Tensor:
		compressed = fp16
	case f.Half:
		return nil, fmt.Errorf("on CUDA, fp16 needs tensor cores of compute capability 8.0 or later")
	}
	return decompressed(compressed)
}

// Load returns the PTX of a kernel from a compressed file.
func Load(files embed.FS, file, kernel string) ([]byte, error) {
	compressed, err := files.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("the kernel %s in PTX: %w", kernel, err)
	}
	return decompressed(compressed)
}

// decompressed returns PTX from its compressed form.
func decompressed(compressed []byte) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(compressed))
	if err != nil {
		return nil, fmt.Errorf("the kernels in PTX: %w", err)
	}
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("the kernels in PTX: %w", err)
	}
	return text, nil
}
