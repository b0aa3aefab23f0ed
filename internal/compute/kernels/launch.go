package kernels

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
)

// Launch says how a convolution is run.
type Launch struct {
	Kernel string
	Group  int // items of a work group
	Boards int // positions that a work group works on, at most 8
	Parts  int // work groups for the same positions
}

var (
	//go:embed fragments.cl
	fragments string
	//go:embed product.cl
	product string
)

// shape is the work group of a convolution on tensor cores. A warp computes 8*tiles outputs
// of one board.
type shape struct {
	boards, blocks, tiles int
}

func (s shape) outputs() int { return 8 * s.tiles * s.blocks }

func (s shape) name(taps int) string {
	return fmt.Sprintf("conv%d_%dx%dx%d", taps, s.boards, s.blocks, s.tiles)
}

// shapes are the shapes that the program has, those with the most work for a group first. The last divides every width.
var shapes = []shape{{4, 2, 8}, {4, 1, 8}, {4, 1, 4}}

// wide is the number of outputs of a work group of the kernel conv.
const wide = 32

// tensorSource is the source of the convolutions and products on tensor cores.
func tensorSource() string {
	var b strings.Builder
	for _, s := range shapes {
		for _, taps := range []int{9, 1} {
			fmt.Fprintf(&b, "#define NAME %s\n#define TAPS %d\n#define BOARDS %d\n#define BLOCKS %d\n#define TILES %d\n%s#undef NAME\n#undef TAPS\n#undef BOARDS\n#undef BLOCKS\n#undef TILES\n",
				s.name(taps), taps, s.boards, s.blocks, s.tiles, fragments)
		}
	}
	b.WriteString(product)
	return b.String()
}

// Launch returns how a convolution is run.
func (f Form) Launch(c ConvShape) Launch {
	stride := f.Stride(c.Out)
	if !f.Tensor {
		return Launch{Kernel: "conv", Group: 64, Boards: 1, Parts: stride / wide}
	}
	s := shapes[slices.IndexFunc(shapes, func(s shape) bool { return stride%s.outputs() == 0 })]
	return Launch{Kernel: s.name(c.Taps), Group: 32 * s.boards * s.blocks, Boards: s.boards, Parts: stride / s.outputs()}
}
