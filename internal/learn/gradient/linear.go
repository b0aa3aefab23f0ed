package gradient

import "warren/internal/kernel"

// rowsAtOnce is the number of rows of a product that one work item computes.
const rowsAtOnce = 256

// Linear is a dense layer, or a 1x1 convolution if its rows are squares:
//
//	y = x w + bias, or relu(x w + bias) if ReLU is set
//
// x is [Rows][In], w [In][Out], bias [Out], y [Rows][Out].
//
// The kernels need a multiple of 4 rows and of 8 inputs. Other shapes use scalar
// loops.
type Linear struct {
	Rows, In, Out int
	ReLU          bool
	Workers       *Workers
	Space         *Space

	path       *kernel.Path
	forward    *kernel.Dense // w
	transposed *kernel.Dense
	sum        []float32 // the gradient with respect to w, with padding
	wt         []float32
}

// NewLinear returns a layer for the given number of rows.
func NewLinear(p *kernel.Path, rows, in, out int, relu bool, workers *Workers, space *Space) *Linear {
	l := &Linear{Rows: rows, In: in, Out: out, ReLU: relu, Workers: workers, Space: space}
	l.wt = make([]float32, in*out)
	if rows%4 == 0 && in%8 == 0 {
		l.path = p
		l.forward, l.transposed = kernel.NewDense(p, l.wt, in, out), kernel.NewDense(p, l.wt, out, in)
		l.sum = make([]float32, in*l.forward.Stride())
	}
	return l
}

// Forward computes y.
func (l *Linear) Forward(x, w, bias, y []float32) {
	n := l.Out
	out := y
	if l.path != nil {
		n = l.forward.Stride()
		l.forward.Pack(w)
		if n != l.Out {
			out = grow(&l.Space.wide, l.Rows*n)
		}
	}
	l.Workers.parts(l.Rows, rowsAtOnce, func(_, lo, hi int) {
		part := out[lo*n : hi*n]
		if l.path != nil {
			l.forward.Multiply(part, x[lo*l.In:], hi-lo)
		} else {
			clear(part)
			scalarMulAdd(hi-lo, l.Out, l.In, x[lo*l.In:], l.In, 1, w, part)
		}
		if l.path != nil && l.ReLU && n == l.Out {
			l.path.Rectify(part, bias[:n], hi-lo)
			return
		}
		for r := lo; r < hi; r++ {
			row, from := y[r*l.Out:][:l.Out], out[r*n:][:l.Out]
			for j, b := range bias[:l.Out] {
				v := from[j] + b
				if l.ReLU {
					v = max(0, v)
				}
				row[j] = v
			}
		}
	})
}

// Backward sets the gradients with respect to the inputs of Forward, given dy, the
// gradient of the loss with respect to y. y is the result of Forward. dx may be nil
// if it is not needed. No output may overlap an input.
func (l *Linear) Backward(x, w, y, dy, dx, dw, dBias []float32) {
	if l.ReLU {
		g := grow(&l.Space.g, l.Rows*l.Out)
		l.Workers.parts(l.Rows, rowsAtOnce, func(_, lo, hi int) {
			gp := g[lo*l.Out : hi*l.Out]
			yp, dp := y[lo*l.Out:][:len(gp)], dy[lo*l.Out:][:len(gp)]
			for i, d := range dp {
				gp[i] = kernel.Passed(yp[i], d)
			}
		})
		dy = g
	}
	sumRows(dy[:l.Rows*l.Out], l.Out, dBias)
	if dx != nil {
		transpose(l.In, l.Out, w, l.wt)
		if l.path != nil {
			l.transposed.Pack(l.wt)
		}
		l.Workers.parts(l.Rows, rowsAtOnce, func(_, lo, hi int) {
			d := dx[lo*l.In : hi*l.In]
			if l.path != nil {
				l.transposed.Multiply(d, dy[lo*l.Out:hi*l.Out], hi-lo)
				return
			}
			clear(d)
			scalarMulAdd(hi-lo, l.In, l.Out, dy[lo*l.Out:], l.Out, 1, l.wt, d)
		})
	}
	l.weights(x, dy, dw)
}

// weights sets dw to the sum of the rows' outer products.
func (l *Linear) weights(x, dy, dw []float32) {
	n, sum := l.Out, dw
	if l.path != nil && l.forward.Stride() != l.Out {
		n, sum = l.forward.Stride(), l.sum
		wide := grow(&l.Space.wide, l.Rows*n)
		for r := range l.Rows {
			row := wide[r*n:][:n]
			clear(row[copy(row, dy[r*l.Out:][:l.Out]):])
		}
		dy = wide
	}
	clear(sum)
	// Split into at least two parts where possible; no sum crosses parts.
	part := min(64, max((l.In/2+3)/4*4, 1))
	l.Workers.parts(l.In, part, func(_, lo, hi int) {
		if l.path != nil {
			l.path.OuterSum(sum[lo*n:], x[lo:], dy, l.Rows, hi-lo, l.In, n)
		} else {
			scalarMulAdd(hi-lo, n, l.Rows, x[lo:], 1, l.In, dy, sum[lo*n:])
		}
	})
	if n != l.Out {
		for i := range l.In {
			copy(dw[i*l.Out:][:l.Out], sum[i*n:])
		}
	}
}
