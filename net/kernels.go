package net

import (
	"fmt"
	"os"
	"sync"
	"time"

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

// KernelThroughput times the convolution of so many channels, a multiple of 8, on
// one core, for about d with each of the kernels that this processor has, the
// fastest kind first. The results are in billions of floating-point operations a
// second in the matrix products.
func KernelThroughput(channels int, d time.Duration) (names []string, gflops []float64) {
	for _, p := range kernel.Paths() {
		names = append(names, p.Name)
		gflops = append(gflops, p.Throughput(channels, d))
	}
	return names, gflops
}

func kernels() *kernel.Path {
	p, _ := chosen()
	return p
}
