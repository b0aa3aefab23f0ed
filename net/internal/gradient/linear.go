package gradient

// rowsAtOnce is how many rows of a product one item of work takes.
const rowsAtOnce = 256

// Linear is a dense layer, or a 1x1 convolution when its rows are squares:
//
//	y = x w + bias, or relu(x w + bias) if ReLU is set
//
// x is [Rows][In], w [In][Out], bias [Out], y [Rows][Out].
type Linear struct {
	Rows, In, Out int
	ReLU          bool
	Workers       Workers
	Space         *Space
}

// Forward computes y.
func (l *Linear) Forward(x, w, bias, y []float32) {
	l.Workers.parts(l.Rows, rowsAtOnce, func(lo, hi int) {
		yp := y[lo*l.Out : hi*l.Out]
		for r := yp; len(r) > 0; r = r[l.Out:] {
			copy(r, bias[:l.Out])
		}
		mulAdd(hi-lo, l.Out, l.In, x[lo*l.In:], w, yp)
		if l.ReLU {
			for i, v := range yp {
				yp[i] = max(0, v)
			}
		}
	})
}

// Backward takes dy, the gradient of the loss by y, to the gradients by the
// inputs of Forward, which it sets; dx may be nil if it is not wanted. y is
// what Forward computed. No output may overlap an input.
func (l *Linear) Backward(x, w, y, dy, dx, dw, dBias []float32) {
	if l.ReLU {
		g := grow(&l.Space.g, l.Rows*l.Out)
		l.Workers.parts(l.Rows, rowsAtOnce, func(lo, hi int) {
			gp := g[lo*l.Out : hi*l.Out]
			yp, dp := y[lo*l.Out:][:len(gp)], dy[lo*l.Out:][:len(gp)]
			for i, d := range dp {
				gp[i] = passed(yp[i], d)
			}
		})
		dy = g
	}
	sumRows(dy[:l.Rows*l.Out], l.Out, dBias)
	if dx != nil {
		wt := grow(&l.Space.u, l.In*l.Out)
		transpose(l.In, l.Out, w, wt)
		l.Workers.parts(l.Rows, rowsAtOnce, func(lo, hi int) {
			d := dx[lo*l.In : hi*l.In]
			clear(d)
			mulAdd(hi-lo, l.In, l.Out, dy[lo*l.Out:], wt, d)
		})
	}
	// Two or more parts, however narrow the layer, and each whole for one sum.
	part := min(64, (l.In+1)/2)
	l.Workers.parts(l.In, part, func(lo, hi int) {
		d := dw[lo*l.Out : hi*l.Out]
		clear(d)
		outerSum(hi-lo, l.Out, l.Rows, x[lo:], l.In, dy, d)
	})
}
