package kernels

import (
	_ "embed"
	"fmt"
	"strings"

	"warren/internal/compute"
)

// The sources of mixed precision. Two of them are compiled for several shapes.
var (
	//go:embed matrices.cl
	matrices string
	//go:embed mixed.cl
	mixedSource string
	//go:embed mixedconv.cl
	mixedConvolution string
	//go:embed mixedouter.cl
	mixedOuter string
)

// Mixed returns the kernels that train a network in mixed precision: the products of its trunk are of
// numbers in bf16, with sums in fp32. They are for tensor cores of compute capability 8.0 and later,
// and there is no other form than PTX. It has the kernels of Training as well.
func Mixed() compute.Program {
	var b strings.Builder
	b.WriteString(trainingSource + matrices + mixedSource)
	for _, s := range mixedShapes {
		for _, taps := range []Taps{9, 1} {
			if taps == 1 && s != narrowest {
				continue
			}
			s.define(&b, taps)
		}
	}
	for _, taps := range []Taps{9, 1} {
		instance(&b, mixedOuter, "NAME", outerName(taps), "TAPS", fmt.Sprint(taps), "STAGES", fmt.Sprint(outerStages))
	}
	return compute.Program{Source: b.String(), PTX: func() ([]byte, error) { return decompressed(mixed) }}
}

// instance adds a source with macros that are defined for it alone.
func instance(b *strings.Builder, source string, macros ...string) {
	for i := 0; i < len(macros); i += 2 {
		fmt.Fprintf(b, "#define %s %s\n", macros[i], macros[i+1])
	}
	b.WriteString(source)
	for i := 0; i < len(macros); i += 2 {
		fmt.Fprintf(b, "#undef %s\n", macros[i])
	}
}

// MixedShape is the work group of a convolution in mixed precision. A warp computes 8*tiles outputs of
// one board, and weights come for so many files of taps at a time. All shapes give the same bits.
type MixedShape struct {
	boards, blocks, tiles, files int
}

// mixedShapes are the shapes that the program has, those with the most work for a group first.
var mixedShapes = []MixedShape{{4, 2, 8, 1}, {4, 2, 4, 3}, {2, 2, 4, 3}, narrowest}

// narrowest computes 32 outputs, which divide every width.
var narrowest = MixedShape{4, 1, 4, 1}

// stages is the number of pieces of weights that a group has in memory or on their way.
func (s MixedShape) stages() int {
	if s.files == 3 {
		return 2
	}
	return 4
}

// outputs is the number of outputs that a group computes.
func (s MixedShape) outputs() int { return 8 * s.tiles * s.blocks }

func (s MixedShape) name(taps Taps) string {
	return fmt.Sprintf("mixed%d_%dx%dx%dx%d", taps, s.boards, s.blocks, s.tiles, s.files)
}

func (s MixedShape) define(b *strings.Builder, taps Taps) {
	instance(b, mixedConvolution, "NAME", s.name(taps), "TAPS", fmt.Sprint(taps), "BOARDS", fmt.Sprint(s.boards),
		"BLOCKS", fmt.Sprint(s.blocks), "TILES", fmt.Sprint(s.tiles), "AT_ONCE", fmt.Sprint(s.files), "STAGES", fmt.Sprint(s.stages()))
}

// Memory is that of a group in bytes.
func (s MixedShape) Memory(taps Taps) compute.Local {
	files, slabs := 3, 2
	if taps == 1 {
		files = 1
	}
	if s.files == files {
		slabs = s.stages()
	}
	return compute.Local(slabs*(81*s.boards+10)*48 + s.stages()*s.files*files*s.outputs()/16*512)
}

// Groups are the work groups that compute so many outputs of boards.
func (s MixedShape) Groups(boards, out int) [2]int {
	return [2]int{(boards + s.boards - 1) / s.boards, Padded(out, 32) / s.outputs()}
}

// ShapesOf returns the shapes that can compute a convolution with so many outputs.
func ShapesOf(taps Taps, out int) (all []MixedShape) {
	for _, s := range mixedShapes {
		if Padded(out, 32)%s.outputs() == 0 && (taps == 9 || s == narrowest) {
			all = append(all, s)
		}
	}
	return all
}

// Padded rounds n up to a multiple.
func Padded(n, multiple int) int { return (n + multiple - 1) / multiple * multiple }

const outerStages = 4

// OuterMemory is the memory of a group of Outer in bytes.
const OuterMemory = compute.Local(outerStages * (91 + 64) * 144)

func outerName(taps Taps) string { return fmt.Sprintf("outer%d", taps) }

// Taps is 9 for a convolution of 3x3 squares and 1 for one of every square alone.
type Taps int

// The kernels of mixed precision. Their sources say what they compute. Places of boards in bf16 are in
// units of 8 numbers.
type (
	Planes struct {
		Input, Y compute.Buffer
		YAt      int
	}

	Pack struct{ W, Packed, Layers compute.Buffer }

	MixedConv struct {
		Shape MixedShape
		Taps  Taps

		X          compute.Buffer
		XAt        int
		W          compute.Buffer
		WAt        int
		Bias       compute.Buffer
		BiasAt     int
		BoardBias  compute.Buffer
		Residual   compute.Buffer
		ResidualAt int
		Mask       compute.Buffer
		MaskAt     int
		Y          compute.Buffer
		YAt        int
		Sums       compute.Buffer
		SumsAt     int

		Boards, In, Out, Stride int
		Flags                   int
		Memory                  compute.Local // Shape.Memory(Taps)
	}

	Outer struct {
		Taps Taps

		X, G, Parts compute.Buffer
		PartsAt     int
		Jobs        compute.Buffer
		Memory      compute.Local // OuterMemory
	}

	// Segments is the kernel Outer of package hopper.
	Segments struct {
		Launch Launch

		X, G, Parts      compute.Buffer
		Segments, Firsts compute.Buffer
		Memory           compute.Local
	}

	AddParts struct{ Parts, Gradient, Layers compute.Buffer }

	AddBoards struct {
		Sums, Gradient, Layers compute.Buffer
		Boards                 int
	}

	PoolMixed struct {
		X       compute.Buffer
		XAt     int
		Y       compute.Buffer
		Columns int
	}

	PoolMixedGradient struct {
		X       compute.Buffer
		XAt     int
		Y, G    compute.Buffer
		Slopes  compute.Buffer
		AddedAt int
		DxAt    int
		Sums    compute.Buffer
		SumsAt  int
		Columns int
		Flags   int // MixedResidual | MixedMask | MixedSums
	}

	DenseRows struct {
		X, W          compute.Buffer
		At            int
		Y             compute.Buffer
		Rows, In, Out int
		Flags         int // LayerReLU or 0
	}

	Narrowed struct {
		Y, G    compute.Buffer
		Slopes  compute.Buffer
		DxAt    int
		Sums    compute.Buffer
		SumsAt  int
		Columns int
		Flags   int // MixedMask or 0
	}
)

func (Planes) kernel() (string, int) { return "planes", items }
func (Pack) kernel() (string, int)   { return "pack", items }
func (c MixedConv) kernel() (string, int) {
	return c.Shape.name(c.Taps), 32 * c.Shape.boards * c.Shape.blocks
}
func (c Outer) kernel() (string, int)           { return outerName(c.Taps), 256 }
func (s Segments) kernel() (string, int)        { return s.Launch.Kernel, s.Launch.Group }
func (AddParts) kernel() (string, int)          { return "addParts", items }
func (AddBoards) kernel() (string, int)         { return "addBoards", items }
func (PoolMixed) kernel() (string, int)         { return "poolMixed", items }
func (PoolMixedGradient) kernel() (string, int) { return "poolMixedGradient", items }
func (DenseRows) kernel() (string, int)         { return "denseRows", items }
func (Narrowed) kernel() (string, int)          { return "narrowed", items }

// Flags of the kernels of mixed precision.
const (
	MixedBias      = 1 << iota // adds the layer's bias
	MixedBoardBias             // adds a bias for every board
	MixedResidual              // adds a residual, or to what is there
	MixedReLU                  // ends with a ReLU
	MixedMask                  // ends with the gradient of a ReLU
	MixedSums                  // also writes the sums over each board
	MixedPlain                 // the result is in fp32
)
