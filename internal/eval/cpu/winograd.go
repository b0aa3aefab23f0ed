package cpu

import (
	"slices"

	"warren/internal/kernel"
	"warren/net"
)

// winograd computes in fp32, over the kernels of a path.
type winograd struct {
	path  *kernel.Path
	stem  *kernel.Planes // the convolution of the input
	convs []packedConv
	first *kernel.Dense // the layers of the heads that read the trunk
}

// packedConv is a convolution with its weights packed.
type packedConv struct {
	*kernel.Conv
	weight, bias []float32
}

func newWinograd(path *kernel.Path, first *net.FirstLayers) *winograd {
	return &winograd{path: path, first: kernel.NewDense(path, first.Weight, first.Channels, first.Width)}
}

func (w *winograd) conv(weight, bias []float32, in, out int, input bool) int {
	c := packedConv{bias: slices.Clone(bias)}
	if input {
		w.stem = kernel.NewPlanes(w.path, weight, bias, in, out)
	} else {
		c.Conv = kernel.NewConv(w.path, in, out)
		c.weight = make([]float32, c.PackedSize())
		c.Pack(c.weight, weight, 0, in, make([]float32, len(c.weight)/in))
	}
	w.convs = append(w.convs, c)
	return len(w.convs) - 1
}

func (w *winograd) group() int  { return w.convs[len(w.convs)-1].Group() }
func (w *winograd) stride() int { return w.first.Stride() }

func (w *winograd) precision() (path, numbers string) { return w.path.Name, "fp32" }

func (w *winograd) boards(channels []int, group int) boards {
	b := &floatBoards{winograd: w, channels: channels}
	for _, ch := range channels {
		b.data = append(b.data, make([]float32, group*64*ch))
	}
	return b
}

// floatBoards are boards in fp32.
type floatBoards struct {
	*winograd
	channels    []int
	data        [][]float32 // [group][64][channels]
	planes      []float32   // of the batch
	scratch     kernel.Scratch
	stemScratch kernel.PlanesScratch
}

func (b *floatBoards) input(x []float32, _ int) { b.planes = x }

func (b *floatBoards) conv(number, y, x, residual int, bias []float32, batch int) {
	c := &b.convs[number]
	if c.Conv == nil {
		b.stem.Forward(b.data[y], b.planes, batch, &b.stemScratch)
		return
	}
	if bias == nil {
		bias = c.bias
	}
	var add []float32
	if residual >= 0 {
		add = b.data[residual]
	}
	c.Forward(b.data[y], b.data[x], c.weight, bias, add, batch, &b.scratch)
}

func (b *floatBoards) pool(mean, most []float32, x, i, _ int) {
	b.path.Pool(mean, most, b.data[x][i*64*b.channels[x]:])
}

func (b *floatBoards) features(f []float32, x, i, _ int) (boards int) {
	b.first.Multiply(f, b.data[x][i*64*b.channels[x]:], 64)
	return 1
}
