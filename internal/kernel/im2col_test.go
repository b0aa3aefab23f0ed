package kernel

import (
	"fmt"
	"testing"
)

// Another way to compute a convolution, for comparison: gather the inputs of the nine taps of each
// square into a row (im2col), and compute one product with the same routines. Times in us per board
// on one Zen 4 core, for 8 boards, including bias, residual and ReLU:
//
//	channels            64    128    256
//	AVX-512  im2col   45.9    170    677
//	         F(4,3)   12.0     45    200
//	AVX2     im2col   47.0    175    679
//	         F(4,3)   12.9     49    227
//	plain    im2col    750   2954  11352
//	Go       F(4,3)    217    815   3162
//
// Winograd's F(2,3) would need 16/9 of the multiplications of F(4,3).
type im2col struct {
	channels int
	weights  *Dense
	rows     []float32 // [64][9*channels]
}

func (c *im2col) forward(p *Path, y, x, bias, residual []float32, boards int) {
	ch := c.channels
	for b := range boards {
		board, out := x[b*64*ch:][:64*ch], y[b*64*ch:][:64*ch]
		each(1, func(from, to, tap int) {
			copy(c.rows[(to*9+tap)*ch:][:ch], board[from*ch:])
		})
		c.weights.Multiply(out, c.rows, 64)
		p.Add(out, residual[b*64*ch:][:64*ch])
		p.Rectify(out, bias, 64)
	}
}

func newIm2col(p *Path, w []float32, channels int) *im2col {
	return &im2col{channels, NewDense(p, w, 9*channels, channels), make([]float32, 64*9*channels)}
}

func TestIm2colAgrees(t *testing.T) {
	const ch, boards = 16, 3
	for _, p := range Paths() {
		x, w, bias := noise(1, boards*64*ch, 1), noise(2, 9*ch*ch, 0.1), noise(3, ch, 1)
		got, want := make([]float32, len(x)), make([]float32, len(x))
		newIm2col(p, w, ch).forward(p, got, x, bias, x, boards)
		c := NewConv(p, ch, ch)
		c.Forward(want, x, pack(c, w), bias, x, boards, new(Scratch))
		near(t, p.Name, got, want, 1e-5)
	}
}

func BenchmarkConvMethods(b *testing.B) {
	const boards = 8
	for _, ch := range []int{16, 32, 64, 128, 256} {
		x, w, bias := noise(1, boards*64*ch, 1), noise(2, 9*ch*ch, 0.1), make([]float32, ch)
		y := make([]float32, len(x))
		for _, p := range Paths() {
			run := func(name string, f func()) {
				b.Run(fmt.Sprintf("%s/%s/channels=%d", p.Name, name, ch), func(b *testing.B) {
					for b.Loop() {
						f()
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(1000*b.N*boards), "us/board")
				})
			}
			direct := newIm2col(p, w, ch)
			run("im2col", func() { direct.forward(p, y, x, bias, x, boards) })
			c, s := NewConv(p, ch, ch), new(Scratch)
			packed := pack(c, w)
			run("winograd", func() { c.Forward(y, x, packed, bias, x, boards, s) })
		}
	}
}
