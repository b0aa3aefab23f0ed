package kernels

import (
	_ "embed"

	"warren/internal/compute"
)

//go:embed training.cl
var trainingSource string

// Training returns the kernels that train a network, in fp32. On CUDA they run on devices of
// compute capability 6.0 and later.
func Training() compute.Program {
	return compute.Program{Source: trainingSource, PTX: func() ([]byte, error) { return text(training) }}
}

// Bits of the last argument of the kernels of Training that have flags.
const (
	BoardBias = 1 << iota // layer: adds a bias for every board
	Residual              // layer: adds a residual
	Rectify               // layer: ends with a ReLU

	Add = 1 // gradients: adds to what is there
)

// Tall and Wide are the rows and columns that a group of the products of Training computes.
const (
	Tall = 64
	Wide = 32
)

// SquaresSummed is the number of squares that a group of the kernel sumSquares adds.
const SquaresSummed = 1024
