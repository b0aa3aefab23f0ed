// Package kernels contains the program that computes networks on a graphics processor: its source
// in OpenCL C, its compiled form for the CUDA driver, and the layouts of the weights that its
// kernels read.
package kernels

import (
	_ "embed"

	"warren/internal/compute"
)

//go:embed kernels.cl
var source string

// Form is a way to compute: the numbers that are kept, and the unit that multiplies them.
type Form struct {
	// Half keeps weights and activations in fp16. Sums are in fp32.
	Half bool
	// Tensor multiplies on tensor cores, which needs Half. Where a device has none,
	// their instruction is emulated, slowly, over the same fragments of matrices.
	Tensor bool
}

// Precision names the numbers.
func (f Form) Precision() string {
	if f.Half {
		return "fp16"
	}
	return "fp32"
}

// Program returns the kernels in a form.
func (f Form) Program() compute.Program {
	p := compute.Program{Source: source, PTX: f.ptx}
	if f.Half {
		p.Defines = append(p.Defines, "STORE16")
	}
	if f.Tensor {
		p.Source += tensorSource()
	}
	return p
}

// Channels returns how many channels activations of n channels are padded to.
func (f Form) Channels(n int) int {
	if f.Tensor {
		return (n + 15) &^ 15
	}
	return (n + 7) &^ 7
}

// Store returns numbers as the form keeps them.
func (f Form) Store(v []float32) []byte {
	if f.Half {
		return bytesOf(halves(v))
	}
	return bytesOf(v)
}

// Size is the size of a stored number in bytes.
func (f Form) Size() int {
	if f.Half {
		return 2
	}
	return 4
}
