package net

import (
	"fmt"
	"os"
	"sync"

	"warren/net/internal/kernel"
)

// KernelVariable names the environment variable that chooses the kernels.
const KernelVariable = "WARREN_KERNEL"

// chosen is decided once, so that all plans of a process agree bit for bit.
var chosen = sync.OnceValues(func() (*kernel.Path, error) {
	name := os.Getenv(KernelVariable)
	if name == "" {
		return kernel.Best(), nil
	}
	p, err := kernel.Named(name)
	if err != nil {
		return kernel.Best(), fmt.Errorf("%s: %w", KernelVariable, err)
	}
	return p, nil
})

// Kernels names the kernels that networks run on in this process: "avx512",
// "avx2" or "go". It is the fastest that the processor has, unless the
// environment variable WARREN_KERNEL asks for another; the error says that it
// asks for none that there is.
func Kernels() (string, error) {
	p, err := chosen()
	return p.Name, err
}

func kernels() *kernel.Path {
	p, _ := chosen()
	return p
}
