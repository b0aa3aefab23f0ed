package kernels

import (
	_ "embed"
	"unsafe"

	"warren/internal/compute"
)

var (
	//go:embed training.cl
	trainingText string
	//go:embed muon.cl
	muonText string

	trainingSource = trainingText + muonText
)

// Training returns the kernels that train a network, in fp32. On CUDA they run on devices of
// compute capability 6.0 and later.
func Training() compute.Program {
	return compute.Program{Source: trainingSource, PTX: func() ([]byte, error) { return decompressed(training) }}
}

// The kernels of both passes. training.cl says what they compute.
type (
	Layer struct {
		X, W                   compute.Buffer
		At                     int
		BoardBias, Residual, Y compute.Buffer
		Rows, In, Out, Taps    int
		Flags                  int // LayerBoardBias | LayerResidual | LayerReLU
	}

	InputGradient struct {
		G, W                compute.Buffer
		At                  int
		Dx                  compute.Buffer
		Rows, In, Out, Taps int
		Flags               int // Add or 0
	}

	WeightGradient struct {
		X, G, Parts         compute.Buffer
		Rows, In, Out, Taps int
		PartRows            int
	}

	SumParts struct {
		X, Y         compute.Buffer
		At, N, Parts int
	}

	Passed struct {
		Y, G compute.Buffer
		N    int
	}

	BoardSums struct {
		X, Y    compute.Buffer
		Columns int
	}

	PoolBoards struct {
		X, Y    compute.Buffer
		Columns int
	}

	PoolGradient struct {
		X, Y, G, Dx compute.Buffer
		Columns     int
		Flags       int // Add or 0
	}

	Join struct {
		X, Y                       compute.Buffer
		Squares, Columns, Size, At int
	}

	Split struct {
		G, Dx                      compute.Buffer
		Squares, Columns, Size, At int
	}

	Shares struct {
		Logits, Batch    compute.Buffer
		Targets, Weights int
		Slopes, Losses   compute.Buffer
		At, Size         int
	}

	Chances Shares
)

// The kernels of the update.
type (
	SumSquares struct {
		X, Y compute.Buffer
		N    int
	}

	Clip struct {
		Squares, Factors, Results compute.Buffer
		At, N                     int
	}

	Adam struct {
		W, G, Decays, Factors, Mean, Variance compute.Buffer
		At, N                                 int
	}

	SGD struct {
		W, G, Decays, Factors, Momentum compute.Buffer
		At, N                           int
	}

	// The kernels of Muon. muon.cl says what they compute.

	Look struct{ G, Factors, Momentum, X, Squares, Matrices compute.Buffer }

	Gram struct{ X, Parts, Matrices compute.Buffer }

	SumGram struct{ Parts, Squares, Scales, Sets, Matrices compute.Buffer }

	Products struct {
		Sets, Matrices                 compute.Buffer
		Size, Tiles                    int
		Left, Right, To                int
		OtherLeft, OtherRight, OtherTo int
		Polynomial                     bool
	}

	Muon struct {
		W, Factors, X, Q compute.Buffer
		QAt              int
		Scales, Matrices compute.Buffer
	}

	Average struct {
		W, Factors, Mean compute.Buffer
		N                int
	}
)

func (Layer) kernel() (string, int)          { return "layer", items }
func (InputGradient) kernel() (string, int)  { return "inputGradient", items }
func (WeightGradient) kernel() (string, int) { return "weightGradient", items }
func (SumParts) kernel() (string, int)       { return "sumParts", items }
func (Passed) kernel() (string, int)         { return "passed", items }
func (BoardSums) kernel() (string, int)      { return "boardSums", items }
func (PoolBoards) kernel() (string, int)     { return "poolBoards", items }
func (PoolGradient) kernel() (string, int)   { return "poolGradient", items }
func (Join) kernel() (string, int)           { return "join", items }
func (Split) kernel() (string, int)          { return "split", items }
func (Shares) kernel() (string, int)         { return "shares", items }
func (Chances) kernel() (string, int)        { return "chances", items }
func (SumSquares) kernel() (string, int)     { return "sumSquares", items }
func (Clip) kernel() (string, int)           { return "clip", items }
func (Adam) kernel() (string, int)           { return "adam", items }
func (SGD) kernel() (string, int)            { return "sgd", items }
func (Look) kernel() (string, int)           { return "look", items }
func (Gram) kernel() (string, int)           { return "gram", items }
func (SumGram) kernel() (string, int)        { return "sumGram", items }
func (Products) kernel() (string, int)       { return "products", items }
func (Muon) kernel() (string, int)           { return "muon", items }
func (Average) kernel() (string, int)        { return "average", items }

// Flags of the kernels of both passes.
const (
	LayerBoardBias = 1 << iota // adds a bias for every board
	LayerResidual              // adds a residual
	LayerReLU                  // ends with a ReLU

	Add = 1 // gradients: adds to what is there
)

// Tall and Wide are the rows and columns that a group of the products of Training computes.
const (
	Tall = 64
	Wide = 32
)

// Side is the number of rows and columns of a tile of the products of Muon.
const Side = 32

// PartRows is the number of rows in a part of a Gram matrix of so many columns.
func PartRows(narrow int) int { return max(128, 2*narrow) }

// SquaresSummed is the number of squares that a group of SumSquares or Look adds.
const SquaresSummed = 1024

// Factors are the numbers of an update, which its kernels read from memory. All but the last are
// those of learn.Factors; Average is the part of the average that the step keeps.
type Factors struct {
	Clip, Keep1, Add1, Keep2, Add2, Rate, Epsilon, Shrink, Decay, Momentum, Matrix, Average float32
}

// NumFactors is how many factors there are.
const NumFactors = int(unsafe.Sizeof(Factors{}) / unsafe.Sizeof(float32(0)))

// Numbers returns the factors in the order of their memory.
func (f Factors) Numbers() []float32 { return unsafe.Slice(&f.Clip, NumFactors) }
