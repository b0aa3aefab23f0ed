package gradient

import "warren/internal/kernel"

// Pool sets y, [boards][2*c], to the means and then the maxima of each channel of
// x, [boards*64][c], over each board (Wu 2019, "Accelerating self-play learning in
// Go", sec. 3.3).
func Pool(p *kernel.Path, w *Workers, boards, c int, x, y []float32) {
	w.Each(boards, func(_, b int) {
		p.Pool(y[b*2*c:][:c], y[b*2*c+c:][:c], x[b*squares*c:])
	})
}

// PoolBackward sets dx to the gradient with respect to x, given dy, the gradient
// with respect to y. If several squares share the maximum, the first gets its
// gradient.
func PoolBackward(w *Workers, boards, c int, x, y, dy, dx []float32) {
	w.Each(boards, func(_, b int) {
		most := y[b*2*c+c:][:c]
		dMean, dMost := dy[b*2*c:][:c], dy[b*2*c+c:][:c]
		rows, d := x[b*squares*c:(b+1)*squares*c], dx[b*squares*c:(b+1)*squares*c]
		for r := d; len(r) > 0; r = r[c:] {
			for j, v := range dMean {
				r[j] = v * (1. / squares)
			}
		}
		for j, v := range most {
			for i := j; i < len(rows); i += c {
				if rows[i] == v {
					d[i] += dMost[j]
					break
				}
			}
		}
	})
}
