package kernel

import (
	"fmt"
	"math"
	"testing"
)

// The two other ways to convolve, kept to compare. On one Zen 4 core, 8 boards,
// bias, residual and ReLU included, best of three, in us of processor time a board:
//
//	channels                16     32     64
//	direct                 50    172    731
//	im2col and Product     36    126    523
//	Winograd F(4,3)        13     40    158

// directConv adds every input's weights to the outputs around it, channels
// innermost.
func directConv(y, x, w, bias, res []float32, ch int) {
	for s := range 64 {
		o := y[s*ch:][:ch]
		copy(o, bias)
		for tap := range 9 {
			r, f := s/8+tap/3-1, s%8+tap%3-1
			if r < 0 || r > 7 || f < 0 || f > 7 {
				continue
			}
			for i, v := range x[(r*8+f)*ch:][:ch] {
				add(o, w[(tap*ch+i)*ch:], v)
			}
		}
		for j, v := range res[s*ch:][:ch] {
			o[j] = max(0, o[j]+v)
		}
	}
}

// im2colConv gathers the 9*ch inputs of 4 squares at a time into a left panel.
// w is packed, col is [9*ch][4] and c [ch][4].
func im2colConv(y, x, w, bias, res []float32, ch int, col, c []float32) {
	for s := 0; s < 64; s += 4 {
		for tap := range 9 {
			for t := range 4 {
				r, f := (s+t)/8+tap/3-1, (s+t)%8+tap%3-1
				to := col[tap*ch*4+t:]
				if r < 0 || r > 7 || f < 0 || f > 7 {
					for i := range ch {
						to[4*i] = 0
					}
					continue
				}
				for i, v := range x[(r*8+f)*ch:][:ch] {
					to[4*i] = v
				}
			}
		}
		Product(c, col, w, 9*ch, ch)
		for j, b := range bias {
			for t, v := range c[4*j:][:4] {
				y[(s+t)*ch+j] = max(0, v+b+res[(s+t)*ch+j])
			}
		}
	}
}

func TestOtherConvolutionsAgree(t *testing.T) {
	const ch = 16
	x, w, bias, res := noise(1, 64*ch, 1), noise(2, 9*ch*ch, 0.1), noise(3, ch, 1), noise(4, 64*ch, 1)
	want := direct(x, w, bias, res, ch, ch, 0)
	for name, conv := range map[string]func(y []float32){
		"direct": func(y []float32) { directConv(y, x, w, bias, res, ch) },
		"im2col": func(y []float32) {
			im2colConv(y, x, PackColumns(w, 9*ch, ch), bias, res, ch, make([]float32, 36*ch), make([]float32, 4*ch))
		},
	} {
		y := make([]float32, 64*ch)
		conv(y)
		for i := range y {
			if math.Abs(float64(y[i])-want[i]) > 1e-5 {
				t.Fatalf("%s: element %d is %v, want %v", name, i, y[i], want[i])
			}
		}
	}
}

func BenchmarkConvMethods(b *testing.B) {
	const boards = 8
	for _, ch := range []int{16, 32, 64} {
		x, w, bias := noise(1, boards*64*ch, 1), noise(2, 9*ch*ch, 0.1), make([]float32, ch)
		y, col, c := make([]float32, len(x)), make([]float32, 36*ch), make([]float32, 4*ch)
		packed, wino, s := PackColumns(w, 9*ch, ch), NewConv(w, ch, ch), NewScratch(ch)
		for _, m := range []struct {
			name string
			run  func()
		}{
			{"direct", func() {
				for at := 0; at < len(x); at += 64 * ch {
					directConv(y[at:], x[at:], w, bias, x[at:], ch)
				}
			}},
			{"im2col", func() {
				for at := 0; at < len(x); at += 64 * ch {
					im2colConv(y[at:], x[at:], packed, bias, x[at:], ch, col, c)
				}
			}},
			{"winograd", func() { wino.Forward(y, x, bias, x, boards, s) }},
		} {
			b.Run(fmt.Sprintf("%s/channels=%d", m.name, ch), func(b *testing.B) {
				for b.Loop() {
					m.run()
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(1000*b.N*boards), "us/board")
			})
		}
	}
}
